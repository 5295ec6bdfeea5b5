import { spawn } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { concat, from, lastValueFrom, map, of, Subject, throwError, timer } from 'rxjs';
import { describe, expect, inject, it } from 'vitest';
import { toCsv, toJsonl } from '../../src/sinks/index.ts';

describe('toJsonl and toCsv into a Writable', () => {
  it('write rows, end the stream, and report', async () => {
    const stream = new PassThrough();
    const all = text(stream);
    const report = await lastValueFrom(from([{ a: 1 }, { a: 2, b: '' }]).pipe(toCsv(stream)));
    expect(await all).toBe('a,b\n1,\n2,""\n');
    expect(report).toMatchObject({ path: '-', rows: 2, bytes: 12 });
    const lines = new PassThrough();
    const written = text(lines);
    await lastValueFrom(from([{ a: 1 }]).pipe(toJsonl(lines)));
    expect(await written).toBe('{"a":1}\n');
  });

  it('take no more than the stream does', async () => {
    const taken: (() => void)[] = [];
    const slow = new Writable({ highWaterMark: 1024, write: (_chunk, _encoding, done) => void taken.push(done) });
    const row = { text: 'x'.repeat(10_000) };
    const source = new Subject<object>();
    const done = lastValueFrom(source.pipe(toJsonl(slow)));
    for (let count = 0; count < 30; count += 1) source.next(row);
    expect(slow.writableLength).toBeLessThan(600_000);
    source.complete();
    const letGo = setInterval(() => taken.shift()?.(), 1);
    expect((await done).rows).toBe(30);
    clearInterval(letGo);
  });

  it('fail with what the stream fails with, and stop the source', async () => {
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })) });
    let made = 0;
    const source = timer(0, 0).pipe(map(() => ({ made: ++made, text: 'x'.repeat(100_000) })));
    await expect(lastValueFrom(source.pipe(toJsonl(broken)))).rejects.toThrow(/the stream: writing failed: .*EPIPE/);
    expect(made).toBe(2); // the row after the failure meets it
  });

  it('end a stream early when the source fails, so that nobody takes it for whole', async () => {
    const stream = new PassThrough();
    const failing = concat(of({ a: 1 }), throwError(() => new Error('no'))); // prettier-ignore
    await expect(lastValueFrom(failing.pipe(toJsonl(stream)))).rejects.toThrow('no');
    expect([stream.destroyed, stream.writableFinished]).toEqual([true, false]);
  });

  it('meet a stream that was closed meanwhile at the next row', async () => {
    const stream = new PassThrough();
    const source = new Subject<object>();
    const done = lastValueFrom(source.pipe(toJsonl(stream)));
    const error = done.catch((reason: unknown) => reason);
    source.next({ a: 1 });
    stream.destroy();
    await new Promise(setImmediate);
    source.next({ a: 2 });
    expect(String(await error)).toContain('the stream: writing failed: it was closed');
    expect(source.observed).toBe(false);
  });

  it('fail at once with the source, also when the stream takes nothing', async () => {
    const stuck = new Writable({ write: () => undefined });
    const rows = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(10_000) }));
    const failing = concat(from(rows), throwError(() => new Error('no'))); // prettier-ignore
    await expect(lastValueFrom(failing.pipe(toJsonl(stuck)))).rejects.toThrow('no');
    expect(stuck.destroyed).toBe(true);
  });

  it('refuse options of files, and a stream that is closed', async () => {
    expect(() => toJsonl(new PassThrough(), { overwrite: true })).toThrow("toJsonl: there is no option 'overwrite' for a stream");
    const closed = new PassThrough();
    closed.end();
    await expect(lastValueFrom(of({}).pipe(toJsonl(closed)))).rejects.toThrow('the stream is closed already');
  });

  it.each([
    ['head -n 2', 'stopped: true', '{"n":0}\n{"n":1}\n'],
    ['cat >/dev/null', 'rows: 20000', ''],
  ])('go to the process output, and meet a reader that is: %s', async (reader, said, read) => {
    const script = `
      import { generate } from 'rxjs';
      import { toJsonl } from ${JSON.stringify(`${inject('dist')}/bundle/sinks.js`)};
      generate({ initialState: 0, condition: (n) => n < 20000, iterate: (n) => n + 1, resultSelector: (n) => ({ n }) })
        .pipe(toJsonl(process.stdout))
        .subscribe({ next: ({ rows }) => console.error('rows: ' + rows), error: (error) => console.error('stopped: ' + /EPIPE|closed/.test(error.message)) });`;
    const child = spawn('sh', ['-c', `"$NODE" --input-type=module -e "$SCRIPT" | ${reader}`], {
      env: { ...process.env, NODE: process.execPath, SCRIPT: script },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out).toBe(read);
    expect(errors).toContain(said);
    expect(errors).not.toContain('Unhandled');
  });
});
