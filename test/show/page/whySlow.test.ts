import { describe, expect, it } from 'vitest';
import type { LiveState, RunState } from '../../../src/show/api.ts';
import { stageProgress } from '../../flow/report/stageProgress.ts';
import { whySlow } from '../../../src/show/page/whySlow.ts';
import { idleStats } from '../../idleStats.ts';

const stats = { ...idleStats, inFlight: 8, requests: 90, responses: 80, retries: 2, throttled: 3, rate: 5 };

function state(live: Partial<LiveState> | undefined, more: Partial<RunState> = {}): RunState {
  return {
    id: '',
    folder: 'out',
    flow: 'coffee',
    phase: 'running',
    holder: undefined,
    update: false,
    startedAt: 0,
    endedAt: 10_000,
    breaksMs: 0,
    requests: 50,
    outcome: 'interrupted',
    ending: '',
    command: '',
    steps: [],
    stages: [],
    files: [],
    failures: [],
    drift: [],
    live: live && { stats, waits: [], perSecond: 4.9, meanMs: 0, maxRequests: undefined, ...live },
    buttons: [],
    notes: [],
    ...more,
  };
}

function waits(count: number, reason?: string): LiveState['waits'][number] {
  return { operation: 'mapsReviews', path: [], state: 'waits', for: reason, count, ms: 100 };
}

describe('whySlow', () => {
  it.each([
    ['the rate', " That is the limit of the service. More concurrency doesn't help."],
    ['the rate that was set', ' If the service allows more, raise --rate or leave it out.'],
    ['a slot', ' If the service allows more at once, raise --concurrency.'],
    ['an earlier response', " The service refuses more at once. More concurrency doesn't help."],
    ['its next attempt', ''],
    ['constructor', ''],
  ])('says that requests wait for %s, and what to do', (reason, advice) => {
    expect(whySlow(state({ waits: [waits(12, reason)] }))).toBe(
      `It sends 4.9 requests per second (at most 5), with 8 in flight. Waiting: 12 requests for ${reason}.${advice}`,
    );
  });

  it('adds up what waits for one thing, begins with the most, and has one advice', () => {
    expect(whySlow(state({ waits: [waits(2, 'a slot'), waits(3, 'the rate'), waits(4, 'the rate')], meanMs: 850 }))).toBe(
      "It sends 4.9 requests per second (at most 5), with 8 in flight, and a response takes 850 ms. Waiting: 7 requests for the rate, 2 for a slot. That is the limit of the service. More concurrency doesn't help.",
    );
  });

  it('says that failures slowed it down, and gives no advice about a limit then', () => {
    const failedAttempts = [{ because: 'HTTP 503', count: 44, lostMs: 90_000 }, { because: 'a timeout', count: 3, lostMs: 15_000 }]; // prettier-ignore
    const said = whySlow(state({ stats: { ...stats, requests: 129, failedAttempts }, waits: [waits(12, 'the rate')] }));
    expect(said).toMatch(/Waiting: 12 requests for the rate\. 44 of 129 requests got HTTP 503 and 3 a timeout, so it slowed down\.$/);
  });

  it('says of a stage that it is one, and that nothing waits where nothing does', () => {
    const stages = [stageProgress('reviews')];
    expect(whySlow(state({ waits: [waits(12, 'reviews')] }, { stages }))).toContain('Waiting: 12 requests for the stage reviews.');
    expect(whySlow(state({}))).toContain('Nothing waits: the service is what it waits for.');
  });

  it('says what it can of a run in another process', () => {
    expect(whySlow(state(undefined))).toMatch(/^It sends 5 requests per second on average.*--show/);
    expect(whySlow(state(undefined, { phase: 'lost' }))).toMatch(/^It sent 5 requests per second on average/);
    expect(whySlow(state(undefined, { phase: 'stopped', requests: 0 }))).toBe('');
  });

  it('says of a finished run how fast it was, and what requests waited for', () => {
    const timing = { ms: 60_000, requests: 300, meanMs: 850, throttled: 2, rate: 5, inFlight: 7.6, waits: [{ for: 'a slot', requests: 9.5 }, { for: 'the rate', requests: 0.2 }] }; // prettier-ignore
    const failedAttempts = [{ because: 'HTTP 429', count: 2, lostMs: 10 }];
    expect(whySlow(state({}, { phase: 'done', timing: { ...timing, failedAttempts } }))).toBe(
      'It sent 5 requests per second (at most 5), with 7.6 in flight on average, and a response took 850 ms. Waiting on average: 9.5 requests for a slot. 2 of 300 requests got HTTP 429. If the service allows more at once, raise --concurrency.',
    );
    expect(whySlow(state({}, { phase: 'done', timing: { ...timing, waits: [] } }))).toContain('Hardly any request waited.');
  });
});
