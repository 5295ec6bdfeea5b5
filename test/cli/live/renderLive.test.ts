import { describe, expect, it } from 'vitest';
import { renderLive } from '../../../src/cli/live/renderLive.ts';
import type { RunView } from '../../../src/cli/live/RunView.ts';
import { textWidth } from '../../../src/cli/text/textWidth.ts';
import { stageProgress } from '../../flow/report/stageProgress.ts';

const view: RunView = {
  name: 'coffee',
  resumed: false,
  elapsedMs: 12_345,
  left: { ms: 40_000, atLeast: false },
  stages: [
    stageProgress('places', { done: 10, rows: 980 }),
    stageProgress('reviews', { done: 310, waiting: 668, failed: 2, rows: 12_480 }),
    stageProgress('photos', { waiting: 979, more: true }),
  ],
  requests: 1234,
  maxRequests: 5000,
  requestsPerSecond: 98.2,
  throttled: 3,
  rate: 100,
  pausedMs: 0,
  stopping: false,
  ended: false,
};

describe('renderLive', () => {
  it('shows each stage, the requests, the learnt rate and the time left in 80 columns', () => {
    expect(renderLive(view, 80, 24)).toEqual([
      'coffee: 12 s, about 40 s left',
      'places   ██████████████████████████████    10 of 10     980 rows',
      'reviews  █████████░░░░░░░░░░░░░░░░░░░░░  312 of 980  12,480 rows  2 failed',
      'photos   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   0 of 979+       0 rows',
      '1,234 of 5,000 requests, 98/s (limit 100/s), 3 × 429',
    ]);
  });

  it.each([200, 80, 60, 40, 20, 5])('fits into %i columns, in equally wide rows', (columns) => {
    const lines = renderLive(view, columns, 24);
    for (const line of lines) expect(textWidth(line)).toBeLessThan(Math.max(columns, 11));
    expect(lines).toHaveLength(5);
  });

  it('fits into few rows: the stages with work waiting stay', () => {
    const stages = Array.from({ length: 30 }, (_, index) => stageProgress(`stage ${index}`, { waiting: index === 29 ? 5 : 0 }));
    const lines = renderLive({ ...view, stages }, 80, 10);
    expect(lines.length).toBeLessThan(10);
    expect(lines.join('\n')).toContain('stage 29');
    expect(lines.join('\n')).toContain('and 26 more stages');
  });

  it('spells out what a name could command the terminal with', () => {
    const hostile = '\u001b[2J\u202e\n東京';
    const lines = renderLive({ ...view, name: hostile, stages: [stageProgress(hostile)] }, 80, 24);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines).toHaveLength(3);
  });

  it('says that it is paused, and that it stops', () => {
    expect(renderLive({ ...view, pausedMs: 12_000 }, 80, 24).at(-1)).toBe('Paused for 12 s: the service asked for it.');
    expect(renderLive({ ...view, pausedMs: 12_000, stopping: true }, 80, 24).at(-1)).toMatch(/^Stopping: .* Ctrl-C again exits at once\.$/);
  });

  it('has a lower bound for the time left where more is to be found, and none at the end', () => {
    const [first] = renderLive({ ...view, left: { ms: 400, atLeast: true } }, 80, 24);
    expect(first).toBe('coffee: 12 s, at least 1 s left');
    const ended = renderLive({ ...view, ended: true, stopping: true, pausedMs: 5 }, 80, 24);
    expect([ended[0], ended.length]).toEqual(['coffee: 12 s', 5]);
  });

  it('leaves out what is not known', () => {
    const lines = renderLive({ ...view, left: undefined, rate: undefined, maxRequests: undefined, elapsedMs: 65_000 }, 80, 24);
    expect(lines[0]).toBe('coffee: 1 min 5 s');
    expect(lines.at(-1)).toBe('1,234 requests, 98/s, 3 × 429');
  });
});
