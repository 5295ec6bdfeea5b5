import type { PlainFailure } from '../client/attempt/PlainFailure.ts';

/** A query that ends its workers is on record as failed: trying it again later would end others. */
export const lostCode = 'WORKER_LOST';

/** A request whose worker is gone: it may or may not have been sent, and nobody will know. */
export const lostFailure: PlainFailure = {
  kind: 'lost',
  error: 'NetworkError',
  what: 'the worker that had it died, or the queue forgot it',
  advice: 'if this query ends workers again and again, look at what they said last',
  details: { code: lostCode },
};
