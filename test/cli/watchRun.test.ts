import { Readable } from 'node:stream';
import { concat, defer, NEVER, type Observable, of, timer } from 'rxjs';
import { ignoreElements, mergeMap } from 'rxjs/operators';
import { describe, expect, it } from 'vitest';
import { watchRun, type WatchRunOptions } from '../../src/cli/watchRun.ts';
import type { FlowProgress, FlowSummary } from '../../src/flow/index.ts';
import { stageProgress } from '../flow/report/stageProgress.ts';
import { TinyTerminal } from './TinyTerminal.ts';
import { Kept } from './runInProcess.ts';
import { idleStats } from '../idleStats.ts';

const client = { ...idleStats, requests: 7, responses: 7 };
const start: FlowProgress = {
  type: 'start',
  at: Date.now() + 1e9, // so that no second passes
  name: 'coffee',
  outDir: 'out',
  resumed: false,
  began: 0,
  stages: [stageProgress('places')],
  client: idleStats,
};
const progress = (at: number): FlowProgress => ({
  type: 'progress',
  at,
  stages: [stageProgress('places', { done: 1, rows: 20 })],
  client,
});
const failure: FlowProgress = {
  type: 'failure',
  at: 0,
  stage: 'places',
  operation: 'mapsSearch',
  query: {},
  error: { name: 'HttpError', message: 'mapsSearch: HTTP 404\u001b' },
};
const notice: FlowProgress = { type: 'notice', at: 0, message: 'a notice' };
const summary: FlowSummary = {
  type: 'summary',
  name: 'coffee',
  digest: 'd',
  outDir: 'out',
  outcome: 'complete',
  already: false,
  startedAt: 0,
  endedAt: 1,
  requests: 7,
  retries: 0,
  throttled: 0,
  stages: [stageProgress('places', { done: 2, rows: 40, outcome: 'complete' })],
  files: [],
};
const pause = (ms: number): Observable<never> => timer(ms).pipe(ignoreElements());

function watch(values$: Observable<FlowProgress>, options: Partial<WatchRunOptions>, stderr = new Kept(), stop = new AbortController()) {
  const stdout = new Kept();
  const io = { stdin: Readable.from([]), stdout, stderr, env: {}, signal: stop.signal };
  return { stdout, stderr, stop, done: watchRun(values$, { show: 'auto', maxRequests: undefined, io, ...options }) };
}

describe('watchRun', () => {
  it('returns the summary, and on a terminal leaves the final state on the screen', async () => {
    const terminal = new TinyTerminal(80);
    const { done } = watch(concat(of(start, progress(0), notice, failure), pause(20), of(summary)), { frameMs: 1 }, terminal);
    expect(await done).toBe(summary);
    expect(terminal.screen).toEqual([
      'a notice',
      expect.stringMatching(/^coffee {2}0 s$/),
      expect.stringMatching(/^places {2}█+ {2}2 of 2 queries {2}40 rows$/),
      expect.stringMatching(/^total {3}█+ {2}40 rows$/),
      '7 requests',
      '1 × places: HTTP 404\\u001b',
    ]);
    expect(terminal.cursorHidden).toBe(false);
  });

  it('draws no frame in which nothing is new', async () => {
    const terminal = new TinyTerminal(80);
    const { done } = watch(concat(of(start), pause(60), of(summary)), { frameMs: 1 }, terminal);
    await done;
    expect(terminal.frames.length).toBeLessThan(8);
  });

  it('prints a line from time to time without a terminal', async () => {
    const { done, stderr } = watch(concat(of(start, progress(0)), pause(50), of(summary)), { lineMs: 20 });
    await done;
    expect(stderr.text).toMatch(/^(0 s: 7 requests \(0\/s\); places 1 of 1, 20 rows\n){1,3}$/);
  });

  it('logs the first failure of each kind', async () => {
    const other = { ...failure, error: { name: 'TimeoutError', message: 'mapsSearch {"query":"tea"}: no response within 5 ms' } };
    const again = { ...failure, error: { name: 'TimeoutError', message: 'mapsSearch {"query":"rye"}: no response within 5 ms' } };
    const { done, stderr } = watch(of(start, failure, failure, other, again, failure, summary), {});
    await done;
    expect(stderr.text).toBe('places: mapsSearch: HTTP 404\\u001b\nplaces: mapsSearch {"query":"tea"}: no response within 5 ms\n');
  });

  it('is JSONL on stdout when asked, with progress once a second', async () => {
    const notice: FlowProgress = { type: 'notice', at: 0, message: 'a\u009bb' };
    const { done, stdout } = watch(of(start, progress(0), progress(500), progress(1000), notice, summary), { show: 'json' });
    await done;
    const lines = stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as FlowProgress);
    expect(lines.map(({ type }) => type)).toEqual(['start', 'progress', 'progress', 'notice', 'summary']);
    expect(stdout.text).toContain('a\\u009bb');
  });

  it('says on SIGUSR1 what it waits for, whatever it shows', async () => {
    const asked$ = defer(() => {
      process.emit('SIGUSR1');
      return of(summary);
    });
    const { done, stderr } = watch(concat(of(start), asked$), { show: 'quiet', explain: () => 'mapsSearch: 1 in flight' });
    await done;
    expect([stderr.text, process.listenerCount('SIGUSR1')]).toEqual(['mapsSearch: 1 in flight\n', 0]);
  });

  it('prints nothing in quiet mode', async () => {
    const { done, stdout, stderr } = watch(of(start, progress(0), failure, summary), { show: 'quiet' });
    await done;
    expect(stdout.text + stderr.text).toBe('');
  });

  it('says that it stops when it is told to', async () => {
    const stopped$ = defer(() => of(summary)).pipe(mergeMap((value) => concat(pause(10), of(value))));
    const { done, stderr, stop } = watch(concat(of(start), stopped$), {});
    stop.abort('SIGINT');
    await done;
    expect(stderr.text).toMatch(/^Stopping: .*\n$/);
  });

  it('shows the cursor again and passes on the error when the run fails', async () => {
    const terminal = new TinyTerminal(80);
    const broken$ = concat(
      of(start),
      defer(() => {
        throw new Error('disk full');
      }),
      NEVER,
    );
    await expect(watch(broken$, {}, terminal).done).rejects.toThrow('disk full');
    expect(terminal.cursorHidden).toBe(false);
    expect(terminal.screen.join('\n')).toContain('coffee');
  });
});
