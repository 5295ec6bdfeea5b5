import type { PlainFailure } from '../client/attempt/PlainFailure.ts';

/** A query that kills its workers is recorded as failed. A retry would kill more. */
const lostCode = 'WORKER_LOST';

/** A request whose worker is gone. It is unknown whether it was sent. */
export const lostFailure: PlainFailure = {
  kind: 'lost',
  error: 'NetworkError',
  what: 'the worker that had it died, or the queue forgot it',
  advice: 'if this query ends workers again and again, look at what they said last',
  details: { code: lostCode },
};
