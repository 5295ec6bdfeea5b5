import { describe, expect, it } from 'vitest';
import { RunRecorder } from '../../../src/flow/report/RunRecorder.ts';

describe('RunRecorder', () => {
  it('says how long a response takes on average', () => {
    const recorder = new RunRecorder();
    expect(recorder.meanMs).toBe(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    for (const ms of [12, 20, 21]) recorder.event({ ...base, type: 'response', status: 200, ms, bytes: 1, items: 1, requestId: 'r' });
    expect(recorder.meanMs).toBe(18);
  });
});
