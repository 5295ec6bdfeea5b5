import { startSandbox } from '../../src/sandbox/index.ts';

void startSandbox({ faults: [{ fault: 'status', status: 503, retryAfter: { dateInSeconds: 3 }, operation: ['mapsSearch'], nth: [1, 2] }] });
void startSandbox({ faults: [{ fault: 'reset' }, { fault: 'delay', at: 'headers', ms: 5 }], rateLimit: { kind: 'bucket', perSecond: 5 } });

// @ts-expect-error -- a status has to be said
void startSandbox({ faults: [{ fault: 'status' }] });
// @ts-expect-error -- no such fault
void startSandbox({ faults: [{ fault: 'explode' }] });
// @ts-expect-error -- no such stage
void startSandbox({ faults: [{ fault: 'reset', at: 'tls' }] });
// @ts-expect-error -- an option of another fault
void startSandbox({ faults: [{ fault: 'staleToken', bytes: 3 }] });
// @ts-expect-error -- a window needs its length
void startSandbox({ rateLimit: { kind: 'window', requests: 5 } });
