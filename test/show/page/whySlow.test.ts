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
    left: undefined,
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
    ['the rate', /limit of the service.*12 requests wait.*up to 5 requests per second, and 4\.9 are sent/],
    ['the rate that was set', /rate that this run was given.*12 requests wait.*allows 5 requests per second.*--rate/],
    ['an earlier response', /accept 8 requests at once.*12 requests wait for an earlier response/],
    ['a slot', /All 8 slots are in use, and 12 requests.*--concurrency/],
    ['a pause that the service asked for', /asked for a pause/],
    ['its next attempt', /12 requests failed and will be retried/],
    ['reviews.csv', /^reviews\.csv is full, and holds 12 requests back/],
    ['constructor', /^constructor is full/],
    ['files', /^Rows arrive faster than they are written: 12 requests wait for files\.$/],
  ])('names %s', (reason, sentence) => {
    expect(whySlow(state({ waits: [waits(12, reason)] }))).toEqual([expect.stringMatching(sentence)]);
  });

  it('says that failures slowed it down, and which', () => {
    const failedAttempts = [{ because: 'HTTP 503', count: 44, lostMs: 90_000 }, { because: 'a timeout', count: 3, lostMs: 15_000 }]; // prettier-ignore
    const failing = { ...stats, requests: 129, failedAttempts };
    const said = (reason: string): readonly string[] => whySlow(state({ stats: failing, waits: [waits(12, reason)] }));
    expect(said('the rate')[0]).toMatch(
      /^44 of 129 requests got HTTP 503 and 3 a timeout, so it slowed down: 12 requests wait, and 4\.9 per second are sent/,
    );
    expect(said('its next attempt')).toEqual([
      '12 requests failed and will be retried. So far 44 of 129 requests got HTTP 503 and 3 a timeout.',
    ]);
    const timing = { ms: 60_000, requests: 129, meanMs: 20, throttled: 0, rate: 5, inFlight: 2, waits: [{ for: 'the rate', requests: 12 }], failedAttempts }; // prettier-ignore
    expect(whySlow(state({}, { phase: 'done', timing }))).toEqual([
      expect.stringMatching(
        /44 of 129 requests got HTTP 503 and 3 a timeout\. With the waits .* 1 min 45 s of requests that ran side by side\.$/,
      ),
      expect.stringMatching(/^On average 12 requests waited for the rate\. 44 of 129 .*, so it slowed down: to about 5 per second/),
    ]);
  });

  it('says of a stage that it is one', () => {
    const stages = [stageProgress('reviews')];
    expect(whySlow(state({ waits: [waits(12, 'reviews')] }, { stages }))).toEqual([expect.stringMatching(/^The stage reviews is full/)]);
  });

  it('adds up what waits for one thing, and begins with the most', () => {
    const causes = whySlow(state({ waits: [waits(2, 'a slot'), waits(3, 'the rate'), waits(4, 'the rate')] }));
    expect(causes).toEqual([expect.stringContaining('7 requests'), expect.stringContaining('2 requests')]);
  });

  it('says that the service is busy where nothing waits', () => {
    expect(whySlow(state({ meanMs: 850 }))).toEqual([
      'Nothing waits: the service is busy with the 8 requests that there are now. A response takes 850 ms.',
    ]);
    expect(whySlow(state({ stats: { ...stats, inFlight: 0 } }))[0]).toContain('writing rows');
  });

  it('says what it can of a run in another process', () => {
    expect(whySlow(state(undefined))).toEqual([expect.stringMatching(/^It sends 5 requests per second on average.*--show/)]);
    expect(whySlow(state(undefined, { phase: 'lost' }))).toEqual([expect.stringMatching(/^It sent 5 requests per second on average/)]);
    expect(whySlow(state(undefined, { phase: 'stopped', requests: 0 }))).toEqual([]);
  });

  describe('of a finished run', () => {
    const timing = { ms: 60_000, requests: 300, meanMs: 850, throttled: 2, rate: 5, inFlight: 7.6, waits: [] };
    const causes = (...waits: readonly (readonly [reason: string, requests: number])[]): readonly string[] =>
      whySlow(state({}, { phase: 'done', timing: { ...timing, waits: waits.map(([reason, requests]) => ({ for: reason, requests })) } }));

    it('says how fast it was, and that nothing waited', () => {
      expect(causes(['a slot', 0.2])).toEqual([
        'It sent 300 requests, 5 per second, with 7.6 in flight on average. A response took 850 ms. 2 of 300 requests got HTTP 429.',
        expect.stringMatching(/^Hardly any request waited/),
      ]);
    });

    it.each([
      ['the rate', /^On average 12 requests waited for the rate\. That is the limit of the service, about 5 per second/],
      ['the rate that was set', /waited for the rate that was set\. It allows 5 requests per second\. .*--rate/],
      ['an earlier response', /waited for an earlier response\. The service seemed to accept about 7\.6 at once/],
      ['a slot', /waited for a slot\..*--concurrency/],
      ['a pause that the service asked for', /Send fewer requests/],
      ['its next attempt', /were retried/],
      ['reviews.csv', /^reviews\.csv was full, and held 12 requests back/],
      ['files', /^On average 12 requests waited for files\. Rows arrived faster/],
    ])('names %s', (reason, sentence) => {
      expect(causes([reason, 12]).slice(1)).toEqual([expect.stringMatching(sentence)]);
    });
  });
});
