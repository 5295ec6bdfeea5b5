import { SinkError } from '../../errors/index.ts';

/** What an error means: some row can't be taken, the database takes nothing for now, or it never will. */
type PostgresTrouble = 'row' | 'passes' | 'lasts';

/**
 * By the class of an SQLSTATE. Those that aren't here are about a row: data (22), constraints (23), limits (54), whatever a trigger
 * raises (P0, or a code of its own).
 */
const troubles: { readonly [sqlClass: string]: PostgresTrouble } = {
  // connection, transaction state, rollback, resources, object state, operator, system
  ...Object.fromEntries(['08', '25', '40', '53', '55', '57', '58', 'XX'].map((one) => [one, 'passes' as const])),
  // features, users and their rights, names, syntax, configuration, foreign data
  ...Object.fromEntries(['0A', '0L', '0P', '26', '28', '2B', '3D', '3F', '42', 'F0', 'HV'].map((one) => [one, 'lasts' as const])),
};

export function troubleOf(error: unknown): PostgresTrouble {
  if (error instanceof SinkError) return 'lasts';
  const code = sqlStateOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !systemCodes.has(code) ? (troubles[code.slice(0, 2)] ?? 'row') : 'passes';
}

/** Codes of the system that look like an SQLSTATE. */
const systemCodes = new Set(['EPIPE', 'EPERM']);

/** Its SQLSTATE, or a code of the system. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
