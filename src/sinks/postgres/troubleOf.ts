import { SinkError } from '../../errors/index.ts';

/** What an error means: the database can't take some row, takes nothing for now, or never will. */
type PostgresTrouble = 'row' | 'temporary' | 'permanent';

/**
 * By the class of an SQLSTATE. The classes that are missing here are about a row: data (22), constraints (23), limits (54), and
 * whatever a trigger raises (P0, or a code of its own).
 */
const troubles: { readonly [sqlClass: string]: PostgresTrouble } = {
  // connection, transaction state, rollback, resources, object state, operator, system
  ...Object.fromEntries(['08', '25', '40', '53', '55', '57', '58', 'XX'].map((one) => [one, 'temporary' as const])),
  // features, users and their rights, names, syntax, configuration, foreign data
  ...Object.fromEntries(['0A', '0L', '0P', '26', '28', '2B', '3D', '3F', '42', 'F0', 'HV'].map((one) => [one, 'permanent' as const])),
};

export function troubleOf(error: unknown): PostgresTrouble {
  if (error instanceof SinkError) return 'permanent';
  const code = sqlStateOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !systemCodes.has(code) ? (troubles[code.slice(0, 2)] ?? 'row') : 'temporary';
}

/** Codes of the system that look like an SQLSTATE. */
const systemCodes = new Set(['EPIPE', 'EPERM']);

/** The SQLSTATE of an error, or a code of the system. '' if it has none. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
