import { BusyError, NetworkError, SinkError } from '../../errors/index.ts';
import { messageOf } from '../../errors/messageOf.ts';

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

/** What passes, in words: by SQLSTATE, else by its class. All others: the database is away. */
const waits: { readonly [state: string]: string } = {
  '25006': 'the database is read-only, as a standby is',
  '40': 'another session was in the way',
  '53': 'the database has no disk, memory or connection left',
  '55P03': 'another session holds a lock that it needs',
  '57014': 'a statement was cancelled, by hand or because statement_timeout is too short for it',
};

export function troubleOf(error: unknown): PostgresTrouble {
  if (error instanceof SinkError) return 'lasts';
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !systemCodes.has(code) ? (troubles[code.slice(0, 2)] ?? 'row') : 'passes';
}

/** Codes of the system that look like an SQLSTATE. */
const systemCodes = new Set(['EPIPE', 'EPERM']);

/** An error of PostgreSQL or of its connection, as one that says whether it may pass. It has no address. */
export function errorAt(table: string, error: unknown): SinkError | NetworkError {
  const at = `postgres:${table}:`;
  const code = codeOf(error);
  if (troubleOf(error) === 'passes') {
    const message = `${at} ${waits[code] ?? waits[code.slice(0, 2)] ?? 'the database is away'}${code === '' ? '' : ` (${code})`}`;
    return code === '55P03' ? new BusyError(message) : new NetworkError(message);
  }
  if (code.startsWith('28')) return new SinkError(`${at} the database doesn't let this user in (${code})`);
  const why = messageOf(error);
  return new SinkError(error instanceof SinkError ? `${at} ${why}` : `${at} the database refuses: ${why} (${code})`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
