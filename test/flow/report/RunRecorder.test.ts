import { describe, expect, it } from 'vitest';
import { renderLine } from '../../../src/cli/renderLive.ts';
import { RunRecorder, type RunView } from '../../../src/flow/report/RunRecorder.ts';
import type { FlowProgress, StageProgress } from '../../../src/flow/index.ts';
import { stageProgress } from './stageProgress.ts';
import { idleStats } from '../../idleStats.ts';

const client = { ...idleStats, inFlight: 1 };
const start = (...stages: readonly StageProgress[]): Extract<FlowProgress, { type: 'start' }> => {
  return { type: 'start', at: 0, name: 'coffee', outDir: 'out', resumed: false, began: 0, stages, client: idleStats };
};

describe('RunRecorder', () => {
  it('says how long a response takes on average', () => {
    const recorder = new RunRecorder();
    expect(recorder.meanMs).toBe(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    for (const ms of [12, 20, 21]) recorder.event({ ...base, type: 'response', status: 200, ms, bytes: 1, items: 1, requestId: 'r' });
    expect(recorder.meanMs).toBe(18);
  });

  it('has nothing to show before the run has started', () => {
    expect(new RunRecorder().view(0)).toBeUndefined();
  });

  it('gives the rate of the last five seconds, not of the whole run', () => {
    const recorder = new RunRecorder(1000);
    recorder.progress({ ...start(stageProgress('places')), resumed: true });
    for (let second = 0; second <= 60; second += 1) {
      const requests = second < 50 ? second : 50 + (second - 50) * 20;
      recorder.progress({
        type: 'progress',
        at: second * 1000,
        stages: [stageProgress('places', { rows: second })],
        client: { ...client, requests },
      });
    }
    const view = recorder.view(61_000);
    expect(view).toMatchObject({
      name: 'coffee',
      resumed: true,
      elapsedMs: 61_000,
      requests: 250,
      requestsPerSecond: 20,
      maxRequests: 1000,
    });
    expect(view?.stages[0]?.rows).toBe(60);
  });

  it('knows that it was told to stop', () => {
    const recorder = new RunRecorder();
    recorder.progress(start());
    expect(recorder.view(0)?.stopping).toBe(false);
    recorder.stop();
    expect(recorder.view(0)?.stopping).toBe(true);
  });
});

describe('the bars of RunRecorder', () => {
  const at = (stages: readonly StageProgress[]): FlowProgress => ({ type: 'progress', at: 1, stages, client });
  const shares = (recorder: RunRecorder) => recorder.view(1) as RunView;

  it('never run backwards when more is found', () => {
    const recorder = new RunRecorder();
    recorder.progress(start(stageProgress('places')));
    let furthest = 0;
    for (const [done, waiting] of [
      [1, 1],
      [1, 50],
      [20, 31],
      [30, 400],
      [430, 0],
    ] as const) {
      recorder.progress(at([stageProgress('places', { done, waiting, pages: done * 2 })]));
      const { bars, total } = shares(recorder);
      expect(bars[0]?.done).toBeGreaterThanOrEqual(furthest);
      expect((bars[0]?.done ?? 0) + (bars[0]?.found ?? 0)).toBeLessThanOrEqual(1);
      expect(total).toEqual(bars[0]);
      furthest = bars[0]?.done ?? 0;
    }
    expect(furthest).toBe(0.99);
    recorder.progress(at([stageProgress('places', { done: 430, pages: 860, outcome: 'capped' })]));
    expect(shares(recorder).bars[0]).toEqual({ done: 1, found: 0 });
  });

  it('count pages, and leave room for those of unfinished parents', () => {
    const recorder = new RunRecorder();
    recorder.progress(start());
    const places = stageProgress('places', { done: 1, waiting: 1, pages: 1 });
    recorder.progress(at([places, stageProgress('reviews', { each: ['places'], done: 5, waiting: 5, pages: 10 })]));
    // 10 pages came, 10 more were found, and the other place will lead to 10 queries of 2 pages
    expect(shares(recorder).bars[1]).toEqual({ done: 0.25, found: 0.25 });
  });

  it('keep half for the unknown part', () => {
    const recorder = new RunRecorder();
    recorder.progress(start());
    recorder.progress(at([stageProgress('places', { done: 5, waiting: 5, pages: 5, more: true })]));
    expect(shares(recorder).bars[0]).toEqual({ done: 0.25, found: 0.25 });
  });
});

describe('renderLine', () => {
  it('leaves out 429s that never came', () => {
    const recorder = new RunRecorder();
    recorder.progress(start(stageProgress('places')));
    const view = recorder.view(1000);
    expect(view && renderLine(view)).toBe('1 s: 0 requests (0/s); places 0 of 0, 0 rows');
  });
});

describe('renderLine', () => {
  it('is one line with everything in it', () => {
    const recorder = new RunRecorder(5000);
    const stages = [stageProgress('places\n', { done: 3, waiting: 4, failed: 1, rows: 60, pages: 4 })];
    recorder.progress(start(stageProgress('places\n')));
    recorder.progress({
      type: 'progress',
      at: 10_000,
      stages,
      client: {
        ...client,
        requests: 1200,
        failedAttempts: [
          { because: 'HTTP 503', count: 2, lostMs: 9 },
          { because: 'a timeout', count: 1, lostMs: 9 },
        ],
        rate: 30,
        pausedMs: 240_000,
      },
    });
    const view = recorder.view(10_000);
    expect(view && renderLine(view)).toBe(
      '10 s, about 10 s left: 1,200 of 5,000 requests (0/s, at most 30/s, 2 × 503, 1 × timeout, paused for 4 min); places\\n 4 of 8 (1 failed), 60 rows',
    );
  });
});
