import { EMPTY, Observable, Subject, concat, from, lastValueFrom, of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { toSink, type RowSink } from '../../src/sinks/index.ts';

/** A sink that keeps what happens to it; `write` waits until it is let go. */
function keep(): RowSink<number, string> & { readonly log: string[]; readonly letGo: () => void } {
  const log: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    log,
    letGo: () => waiting.shift()?.(),
    async write(rows) {
      log.push(`write ${rows.join(' ')}`);
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
    finish() {
      log.push('finish');
      return 'done';
    },
    abort(error) {
      log.push(`abort ${error instanceof Error ? error.message : String(error)}`);
    },
  };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const quick = (log: string[]): RowSink<number, string> => ({
  write: (rows) => void log.push(rows.join(' ')),
  finish: () => 'done',
});

describe('toSink', () => {
  it('gives rows in order, in batches, one write at a time, and then the report', async () => {
    const sink = keep();
    const report = lastValueFrom(from([1, 2, 3, 4, 5]).pipe(toSink(() => sink, { batchRows: 2 })));
    await turn();
    expect(sink.log).toEqual(['write 1']);
    for (let left = 0; left < 4; left += 1) {
      sink.letGo();
      await turn();
    }
    expect(await report).toBe('done');
    expect(sink.log).toEqual(['write 1', 'write 2 3', 'write 4 5', 'finish']);
  });

  it.each<[string, unknown]>([
    ['finish', { write: () => undefined }],
    ['write', { finish: () => undefined }],
    ['write', undefined],
  ])('names itself and %s if that is missing', async (missing, opened) => {
    let subscribed = false;
    const source = new Observable<number>(() => void (subscribed = true));
    const rows = source.pipe(toSink(() => opened as RowSink<number, string>, { name: 'table' }));
    await expect(lastValueFrom(rows)).rejects.toThrow(`toSink: ${missing} of what is opened must be a function, not undefined`);
    expect(subscribed).toBe(false);
  });

  it('writes none of the rows that wait when the source fails', async () => {
    const sink = keep();
    const source = new Subject<number>();
    const report = lastValueFrom(source.pipe(toSink(() => sink)));
    await turn();
    [1, 2, 3].forEach((row) => source.next(row));
    source.error(new Error('gone'));
    sink.letGo();
    await expect(report).rejects.toThrow('gone');
    expect(sink.log).toEqual(['write 1', 'abort gone']);
  });

  it('finishes without a row, too', async () => {
    expect(await lastValueFrom(EMPTY.pipe(toSink(async () => quick([]))))).toBe('done');
  });

  it('opens before it subscribes, and a sink that does not open is the error', async () => {
    let subscribed = false;
    const source = new Subject<number>();
    const closed = toSink<number, string>(() => {
      throw new Error('no database');
    });
    await expect(lastValueFrom(concat(source).pipe(closed))).rejects.toThrow('no database');
    expect(subscribed).toBe(false);
    subscribed = source.observed;
    expect(subscribed).toBe(false);
  });

  it('aborts once when the source fails, or when a write does, with the first error', async () => {
    const sink = keep();
    const failing = concat(of(1), throwError(() => new Error('source'))); // prettier-ignore
    const first = lastValueFrom(failing.pipe(toSink(() => sink))).catch(String);
    await turn();
    sink.letGo();
    expect(await first).toBe('Error: source');
    expect(sink.log).toEqual(['write 1', 'abort source']);

    const log: string[] = [];
    const broken: RowSink<number, string> = {
      write: () => Promise.reject(new Error('full')),
      finish: () => 'done',
      abort: (error) => {
        log.push(String(error));
        throw new Error('another');
      },
    };
    await expect(lastValueFrom(from([1, 2]).pipe(toSink(() => broken)))).rejects.toThrow('full');
    expect(log).toEqual(['Error: full']);
  });

  it('waits for the write under way when it is unsubscribed, and aborts then', async () => {
    const sink = keep();
    const source = new Subject<number>();
    const running = source.pipe(toSink(() => sink)).subscribe();
    await turn();
    source.next(1);
    running.unsubscribe();
    await turn();
    expect([sink.log, source.observed]).toEqual([['write 1'], false]);
    sink.letGo();
    await turn();
    expect(sink.log).toEqual(['write 1', 'abort undefined']);
  });

  it('refuses invalid options when it is called', () => {
    expect(() => toSink(undefined as never)).toThrow('toSink: the first argument must be a function');
    expect(() => toSink(() => quick([]), { batchRow: 1 } as object)).toThrow(
      "toSink: there is no option 'batchRow'; did you mean 'batchRows'?",
    );
    expect(() => toSink(() => quick([]), { waitingRows: 0 })).toThrow('toSink: waitingRows must be a whole number from 1 on, not 0');
  });
});
