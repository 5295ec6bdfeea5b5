import { failureKinds } from '../../errors/failureKinds.ts';
import { TrawlerError } from '../../errors/index.ts';
import type { QueryFailure } from '../state/JournalRecord.ts';

const maxLength = 1000;

/** An error in the form that is recorded. */
export function failureOf(error: unknown): QueryFailure {
  const at = Date.now();
  if (!(error instanceof Error)) return { at, name: 'Error', message: String(error).slice(0, maxLength) };
  const base = { at, name: error.name, message: error.message.slice(0, maxLength) };
  if (!(error instanceof TrawlerError)) return base;
  const { kind, status, code, requestId, attempts } = error;
  return { ...base, kind, status, code, requestId, attempts };
}

/** Whether a failure may be gone later. */
export function passes(error: unknown): boolean {
  return error instanceof TrawlerError && error.kind !== undefined && failureKinds[error.kind].passes;
}

/** Whether a request was sent before the error came. A client may refuse a call that waits. */
export function wasSent(error: unknown): boolean {
  return !(error instanceof TrawlerError) || error.attempts !== 0;
}
