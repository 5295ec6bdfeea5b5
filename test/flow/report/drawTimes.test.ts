import { describe, expect, it } from 'vitest';
import { drawLatency, drawTimes } from '../../../src/flow/report/drawCharts.ts';
import { HttpError, NetworkError } from '../../../src/errors/index.ts';
import { RunRecorder } from '../../../src/flow/report/index.ts';

describe('drawTimes', () => {
  it('shows requests that were retried, whatever they failed by, only where there were some', () => {
    const recorder = new RunRecorder(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    expect(drawTimes(recorder.record(), 1000)).toMatch(/from the start: 1 request</);
    expect(drawTimes(recorder.record(), 1000)).not.toContain('retried');
    for (const error of [new HttpError('busy', { status: 503 }), new NetworkError('reset')])
      recorder.event({ ...base, type: 'retry', delayMs: 5, error });
    expect(drawTimes(recorder.record(), 1000)).toMatch(/<\/i>retried<.*from the start: 1 request, 2 retried</s);
  });

  it('says where no request was sent for long', () => {
    const recorder = new RunRecorder(0);
    const request = { type: 'request', operation: 'webSearch', query: {}, id: 1, attempt: 1 } as const;
    for (let at = 0; at < 60_000; at += 250) if (at < 10_000 || at >= 40_000) recorder.event({ ...request, at });
    expect(drawTimes(recorder.record(), 60_000)).toMatch(/class="note"[^]*>no request for 2[5-9] s</);
    expect(drawTimes(new RunRecorder(0).record(), 0)).not.toContain('note');
  });

  it('draws an even pace as even bars, also where a bucket holds only a few requests', () => {
    const recorder = new RunRecorder(0);
    // Eight a second for 31 seconds: a bucket of 200 ms holds one or two.
    for (let id = 0; id < 31 * 8; id++)
      recorder.event({ type: 'request', operation: 'webSearch', query: {}, at: id * 125, id, attempt: 1 });
    const drawn = drawTimes(recorder.record(), 31_000);
    const heights = [...drawn.matchAll(/<rect class="c1" [^>]*height="([\d.]+)"/g)].map((match) => Number(match[1]));
    expect(heights.length).toBeGreaterThanOrEqual(15);
    expect(Math.min(...heights) / Math.max(...heights)).toBeGreaterThan(0.75);
    expect(drawn.match(/: (\d+) requests</g)!.reduce((sum, text) => sum + Number(/\d+/.exec(text)![0]), 0)).toBe(31 * 8);
  });
});

describe('drawLatency', () => {
  it('has round times on its axis', () => {
    const recorder = new RunRecorder(0);
    const response = { type: 'response', operation: 'webSearch', query: {}, at: 1, id: 1, attempt: 1, status: 200, bytes: 1, items: 1, requestId: 'r' } as const; // prettier-ignore
    for (const ms of [9, 40, 800]) recorder.event({ ...response, ms });
    const axis = drawLatency(recorder.record().latency).split('<svg class="x"')[1]!;
    expect(Array.from(axis.matchAll(/>([^<]+)<\/text>/g), ([, text]) => text)).toEqual(['10 ms', '30 ms', '100 ms', '300 ms', '1 s']);
  });
});
