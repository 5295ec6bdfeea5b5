import { describe, expect, it } from 'vitest';
import { drawTimes } from '../../../src/flow/report/drawCharts.ts';
import { RunRecorder } from '../../../src/flow/report/index.ts';

describe('drawTimes', () => {
  it('names 429 responses only where there were some', () => {
    const recorder = new RunRecorder(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    expect(drawTimes(recorder.record(), 1000)).toMatch(/from the start: 1 requests</);
    expect(drawTimes(recorder.record(), 1000)).not.toContain('429');
    recorder.event({ ...base, type: 'throttle', status: 429, pauseMs: 0, rate: 4 });
    expect(drawTimes(recorder.record(), 1000)).toMatch(/<\/i>429s<.*from the start: 1 requests, 1 429 responses</s);
  });
});
