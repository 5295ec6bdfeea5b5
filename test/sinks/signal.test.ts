import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { concat, defer, EmptyError, lastValueFrom, NEVER, Observable, of, type OperatorFunction, Subject, takeUntil } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toCsv, toJsonl, toParquet, toSink, type FileOptions, type RowSink } from '../../src/sinks/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-signal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sinks: readonly [string, (path: string, options: Pick<FileOptions, 'signal'>) => OperatorFunction<object, unknown>][] = [
  ['rows.csv', toCsv],
  ['rows.jsonl', toJsonl],
  ['rows.parquet', toParquet],
];

describe.each(sinks)('a signal in the options of the sink of %s', (name, sink) => {
  it("ends it with the signal's reason and leaves the part", async () => {
    const stop = new AbortController();
    const path = join(folder, name);
    const reason = new Error('enough');
    let stopped = false;
    const rows = new Observable<object>((subscriber) => {
      concat(of({ id: 1 }, { id: 2 }), NEVER).subscribe(subscriber);
      return () => (stopped = true);
    });
    const written = lastValueFrom(rows.pipe(sink(path, { signal: stop.signal })));
    stop.abort(reason);
    await expect(written).rejects.toBe(reason);
    expect({ stopped, whole: existsSync(path) }).toEqual({ stopped: true, whole: false });
    await expect.poll(() => existsSync(`${path}.part`) && readFileSync(`${path}.part`, 'utf8')).toContain('2');
  });

  it('subscribes nothing and makes no file when it was aborted before', async () => {
    const reason = new Error('enough');
    const never = new Observable<object>(() => expect.unreachable());
    const path = join(folder, name);
    await expect(lastValueFrom(never.pipe(sink(path, { signal: AbortSignal.abort(reason) })))).rejects.toBe(reason);
    expect(existsSync(`${path}.part`)).toBe(false);
  });
});

it('ends a sink whose time is over with the reason of the signal', async () => {
  const path = join(folder, 'rows.jsonl');
  const own = (): RowSink<object, number> => ({ write: () => undefined, finish: () => 0 });
  const signal = AbortSignal.timeout(1);
  for (const sink of [toJsonl(path, { signal }), toSink(own, { signal })]) {
    const error = await lastValueFrom(NEVER.pipe((rows: Observable<object>) => sink(rows) as Observable<unknown>)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBe(signal.reason);
  }
});

it('ends a sink into a Writable too', async () => {
  const stop = new AbortController();
  const written = lastValueFrom(NEVER.pipe(toJsonl(new PassThrough(), { signal: stop.signal })));
  stop.abort('enough');
  await expect(written).rejects.toBe('enough');
});

it('ends a sink of your own, whose abort gets the reason, also before it is open', async () => {
  for (const opened of [true, false]) {
    const stop = new AbortController();
    const aborted: unknown[] = [];
    const own: RowSink<object, number> = { write: () => undefined, finish: () => 0, abort: (error) => void aborted.push(error) };
    const written = lastValueFrom(NEVER.pipe(toSink(async () => own, { signal: stop.signal })));
    if (opened) await new Promise((resolve) => setImmediate(resolve));
    stop.abort('enough');
    await expect(written).rejects.toBe('enough');
    await expect.poll(() => aborted).toEqual(['enough']);
  }
});

describe('takeUntil', () => {
  /** Two rows, then `stop`, then what would be the rest. */
  const rows = (stop: Subject<void>): Observable<object> =>
    concat(
      of({ id: 1 }, { id: 2 }),
      defer(() => (stop.next(), of({ id: 3 }))),
    );

  it('above a sink makes a file that looks whole, with the rows so far', async () => {
    const stop = new Subject<void>();
    const path = join(folder, 'above.jsonl');
    expect(await lastValueFrom(rows(stop).pipe(takeUntil(stop), toJsonl(path)))).toMatchObject({ rows: 2 });
    expect(readFileSync(path, 'utf8')).toBe('{"id":1}\n{"id":2}\n');
  });

  it('below a sink leaves no file but the part, and no report', async () => {
    const stop = new Subject<void>();
    const path = join(folder, 'below.jsonl');
    await expect(lastValueFrom(rows(stop).pipe(toJsonl(path), takeUntil(stop)))).rejects.toThrow(EmptyError);
    expect(existsSync(path)).toBe(false);
    await expect.poll(() => readFileSync(`${path}.part`, 'utf8')).toBe('{"id":1}\n{"id":2}\n');
  });
});
