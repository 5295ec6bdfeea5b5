import { describe, expect, it } from 'vitest';
import { renderLive } from '../../src/cli/renderLive.ts';
import type { StageProgress } from '../../src/flow/index.ts';
import type { RunView } from '../../src/flow/report/RunRecorder.ts';
import { textWidth } from '../../src/cli/text/textWidth.ts';
import { paintFor } from '../../src/cli/text/paintFor.ts';
import { stageProgress } from '../flow/report/stageProgress.ts';
import { Kept } from './runInProcess.ts';

const view: RunView = {
  name: 'coffee',
  resumed: false,
  startedAt: 0,
  before: 0,
  elapsedMs: 12_345,
  left: { ms: 40_000, atLeast: false },
  stages: [
    stageProgress('places', { done: 10, rows: 980, outcome: 'complete' }),
    stageProgress('reviews', { done: 310, waiting: 668, failed: 2, rows: 12_480 }),
    stageProgress('photos', { waiting: 979, more: true }),
  ],
  bars: [
    { done: 1, found: 0 },
    { done: 0.5, found: 0.25 },
    { done: 0, found: 0.5 },
  ],
  total: { done: 0.6, found: 0.3 },
  failures: [],
  requests: 1234,
  maxRequests: 5000,
  requestsPerSecond: 98.2,
  failedAttempts: [{ because: 'HTTP 429', count: 3, lostMs: 0 }],
  rate: 100,
  pausedMs: 0,
  stopping: false,
  ended: false,
};
const paint = paintFor(new Kept(), { FORCE_COLOR: '1' });

describe('renderLive', () => {
  it('shows each stage, all of them, the requests, the learnt rate and the time left in 80 columns', () => {
    expect(renderLive(view, 80, 24)).toEqual([
      'coffee  12 s                                                      Ctrl-C pauses',
      'places   ███████████████████    10 of 10 queries     980 rows',
      'reviews  █████████░░░░░·····  312 of 980 queries  12,480 rows  2 failed',
      'photos   ░░░░░░░░░░·········   0 of 979+ queries       0 rows',
      'total    ███████████░░░░░░··  13,460 rows, about 40 s left',
      '1,234 of 5,000 requests, 98/s (at most 100/s), 3 × 429',
    ]);
  });

  it('keeps bars where they are while the figures beside them grow', () => {
    const bar = (columns: number, more: Partial<StageProgress>): string => {
      const stages = [stageProgress('places near the harbour', { waiting: 9, ...more }), stageProgress('reviews')];
      const shares = { done: 0.5, found: 0.25 };
      const [, first] = renderLive({ ...view, stages, bars: [shares, shares] }, columns, 24);
      return /^.*?█+░*·*|$/.exec(first!)![0];
    };
    for (const columns of [61, 70, 80, 100, 160]) {
      expect(bar(columns, {})).toMatch(/█░+·+$/);
      expect(bar(columns, { done: 999_999, waiting: 1_234_567, rows: 123_456_789, failed: 98_765, more: true })).toBe(bar(columns, {}));
    }
    expect(bar(60, {})).toBe('');
  });

  it('leaves out words where figures need the room', () => {
    const stages = [stageProgress('reviews', { done: 1_234_567, rows: 123_456_789 })];
    expect(renderLive({ ...view, stages }, 80, 24)[1]).toContain('1,234,567 of 1,234,567 queries  123,456,789 rows');
    expect(renderLive({ ...view, stages }, 70, 24)[1]).toContain('1,234,567 of 1,234,567  123,456,789');
  });

  it('uses the whole width', () => {
    for (const columns of [80, 120, 200]) {
      expect(Math.max(...renderLive(view, columns, 24).map(textWidth))).toBe(columns - 1);
    }
  });

  it('is green if all is well, amber or red if something failed, and dims unknown parts', () => {
    const [heading, places, reviews, photos, total, requests] = renderLive(view, 80, 24, paint) as string[];
    expect(heading).toContain('\u001b[1mcoffee\u001b[22m');
    expect(places).toContain('\u001b[32m██');
    for (const part of ['\u001b[33m██', '█\u001b[39m░', '\u001b[2m··', '\u001b[31m2 failed']) expect(reviews).toContain(part);
    expect(photos).not.toContain('\u001b[3');
    expect(total).toContain('\u001b[33m██');
    expect(requests).toContain('\u001b[33m3 × 429');
    const failed = renderLive({ ...view, stages: [stageProgress('places', { outcome: 'failed', failed: 1 })] }, 80, 24, paint);
    expect(failed[1]).toContain('\u001b[31m██');
  });

  it('has a line for each kind of failure, and says how many more kinds there are', () => {
    const failures = ['HTTP 404', 'HTTP 500', 'no address', 'HTTP 403'].map((kind, index) => ({
      name: 'HttpError',
      example: '',
      stages: ['reviews'],
      kind,
      count: 4000 - index,
    }));
    expect(renderLive({ ...view, failures }, 80, 24).slice(-4)).toEqual([
      '4,000 × reviews: HTTP 404',
      '3,999 × reviews: HTTP 500',
      '3,998 × reviews: no address',
      'and 1 more',
    ]);
  });

  it.each([200, 80, 60, 40, 20, 5])('fits into %i columns, in equally wide rows', (columns) => {
    const lines = renderLive(view, columns, 24);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(Math.max(columns, 11));
    expect(lines).toHaveLength(6);
    for (const line of renderLive(view, columns, 24, paint)) expect(textWidth(line)).toBeLessThan(Math.max(columns, 11));
  });

  it('fits into few rows: the stages with work waiting stay', () => {
    const stages = Array.from({ length: 30 }, (_, index) => stageProgress(`stage ${index}`, { waiting: index === 29 ? 5 : 0 }));
    const lines = renderLive({ ...view, stages, bars: stages.map(() => view.total) }, 80, 10);
    expect(lines.length).toBeLessThan(10);
    expect(lines.join('\n')).toContain('stage 29');
    expect(lines.join('\n')).toContain('and 26 more stages');
  });

  it('escapes control characters in names', () => {
    const hostile = '\u001b[2J\u202e\n東京';
    const lines = renderLive({ ...view, name: hostile, stages: [stageProgress(hostile)] }, 80, 24);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines).toHaveLength(4);
  });

  it('says that it is paused or stopping', () => {
    expect(renderLive({ ...view, pausedMs: 12_000 }, 80, 24).at(-1)).toBe('Paused for 12 s: the service asked for it.');
    expect(renderLive({ ...view, pausedMs: 12_000, stopping: true }, 80, 24).at(-1)).toMatch(/^Stopping: .* Ctrl-C again exits at once\.$/);
  });

  it('gives a lower bound for the time left while more is to be found', () => {
    const lines = renderLive({ ...view, left: { ms: 400, atLeast: true } }, 80, 24);
    expect(lines[4]).toMatch(/^total .* 13,460 rows, at least 1 s left$/);
    const ended = renderLive({ ...view, ended: true, stopping: true, pausedMs: 5 }, 80, 24);
    expect([ended[0], ended.length]).toEqual(['coffee  12 s', 6]);
    expect(ended[4]).toMatch(/^total .* 13,460 rows$/);
  });

  it('leaves out what is not known', () => {
    const unknown = { left: undefined, rate: undefined, maxRequests: undefined };
    const lines = renderLive({ ...view, ...unknown, failedAttempts: [], elapsedMs: 65_000, stopping: true }, 80, 24);
    expect(lines[0]).toBe('coffee  1 min 5 s');
    expect(lines.at(-2)).toBe('1,234 requests, 98/s');
  });
});
