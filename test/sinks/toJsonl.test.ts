import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { EMPTY, NEVER, Observable, concat, from, lastValueFrom, map, of, range, Subject, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentDemand } from '../../operators/demand/demandScope.ts';
import type { DemandNode } from '../../operators/demand/DemandNode.ts';
import { HttpError, SinkError } from '../../src/errors/index.ts';
import { toJsonl, type FileOptions, type FileReport } from '../../src/sinks/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-jsonl-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');
const write = (rows: Observable<unknown>, name: string, options?: FileOptions): Promise<FileReport> =>
  lastValueFrom(rows.pipe(toJsonl(at(name), options)));
const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
const until = async (met: () => boolean): Promise<void> => {
  await expect.poll(met, { interval: 2 }).toBe(true);
};

describe('toJsonl', () => {
  it('writes a line for each row and reports the file', async () => {
    const report = await write(from(rows), 'rows.jsonl');
    expect(read('rows.jsonl')).toBe('{"id":1}\n{"id":2}\n{"id":3}\n');
    const sha256 = createHash('sha256')
      .update(readFileSync(at('rows.jsonl')))
      .digest('hex');
    expect(report).toEqual({ path: at('rows.jsonl'), rows: 3, bytes: 27, sha256 });
    expect(readdirSync(folder)).toEqual(['rows.jsonl']);
  });

  it('loses no half surrogate pair, no control character, no line separator', async () => {
    const row = { '\uD800': '\uDFFF\0\u2028\u2029\uFEFF😀\u001b[2J', ['__proto__']: 1, constructor: 2 };
    await write(of(row), 'rows.jsonl');
    expect(Object.entries(JSON.parse(read('rows.jsonl')) as object)).toEqual(Object.entries(row));
    expect(readFileSync(at('rows.jsonl')).includes(Buffer.from('\\ud800'))).toBe(true);
  });

  it('writes an empty file for an empty stream', async () => {
    const report = await write(EMPTY, 'rows.jsonl');
    expect(report).toMatchObject({ rows: 0, bytes: 0 });
    expect(statSync(at('rows.jsonl')).size).toBe(0);
  });

  it('makes the folders that are missing', async () => {
    await write(of(1), 'a/b/rows.jsonl');
    expect(read('a/b/rows.jsonl')).toBe('1\n');
  });

  it('makes files with the permissions that the umask allows, unless told otherwise', async () => {
    await write(of(1), 'all.jsonl');
    await write(of(1), 'own.jsonl', { mode: 0o600 });
    const modes = ['all.jsonl', 'own.jsonl'].map((name) => statSync(at(name)).mode & 0o777);
    expect(modes).toEqual([0o666 & ~process.umask(), 0o600]);
  });

  it('compresses by the ending, so that other programs read it', async () => {
    const report = await write(range(0, 3000).pipe(map((id) => ({ id }))), 'rows.jsonl.gz');
    const bytes = readFileSync(at('rows.jsonl.gz'));
    expect(gunzipSync(bytes).toString().split('\n')).toHaveLength(3001);
    expect(report).toMatchObject({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  });

  it('takes each row of a hot source, from the moment of subscribing', async () => {
    const source = new Subject<unknown>();
    const report = write(source, 'rows.jsonl');
    source.next(1);
    source.next(2);
    source.complete();
    expect((await report).rows).toBe(2);
  });

  it('writes two streams to two files at once', async () => {
    const both = await Promise.all([write(from(rows), 'a.jsonl'), write(from(rows), 'b.jsonl')]);
    expect(both.map((report) => report.rows)).toEqual([3, 3]);
  });

  describe('a path that is taken', () => {
    it('is an error before any request', async () => {
      writeFileSync(at('rows.jsonl'), 'old\n');
      let asked = false;
      const source = new Observable(() => void (asked = true));
      await expect(write(source, 'rows.jsonl')).rejects.toThrow(
        'is there already; choose another path, or say overwrite: true, or append: true',
      );
      expect([asked, read('rows.jsonl'), readdirSync(folder)]).toEqual([false, 'old\n', ['rows.jsonl']]);
    });

    it('is replaced at the end with overwrite', async () => {
      writeFileSync(at('rows.jsonl'), 'old\n');
      const source = new Subject<unknown>();
      const report = write(source, 'rows.jsonl', { overwrite: true });
      source.next({ id: 1 });
      expect(read('rows.jsonl')).toBe('old\n');
      source.complete();
      await report;
      expect(read('rows.jsonl')).toBe('{"id":1}\n');
    });

    it('is continued by append, also after a last line without a line feed', async () => {
      writeFileSync(at('rows.jsonl'), '{"id":0}');
      const report = await write(from(rows), 'rows.jsonl', { append: true });
      expect(read('rows.jsonl')).toBe('{"id":0}\n{"id":1}\n{"id":2}\n{"id":3}\n');
      expect(report).toMatchObject({ rows: 3, bytes: 36, sha256: createHash('sha256').update(read('rows.jsonl')).digest('hex') });
    });

    it('is continued by append in gzip', async () => {
      await write(from(rows), 'rows.jsonl.gz');
      await write(from(rows), 'rows.jsonl.gz', { append: true });
      expect(gunzipSync(readFileSync(at('rows.jsonl.gz'))).toString()).toBe('{"id":1}\n{"id":2}\n{"id":3}\n'.repeat(2));
    });

    it('is an error for the second of two writers, and the first goes on', async () => {
      const source = new Subject<unknown>();
      const first = write(source, 'rows.jsonl');
      await expect(write(from(rows), 'rows.jsonl')).rejects.toThrow(`process ${process.pid} on`);
      await expect(write(from(rows), 'rows.jsonl', { overwrite: true })).rejects.toThrow(SinkError);
      source.next(1);
      source.complete();
      await first;
      expect(read('rows.jsonl')).toBe('1\n');
    });

    it('is an error when somebody else takes it meanwhile, and the rows stay beside it', async () => {
      const source = new Subject<unknown>();
      const report = write(source, 'rows.jsonl');
      source.next(1);
      writeFileSync(at('rows.jsonl'), 'theirs');
      source.complete();
      await expect(report).rejects.toThrow(/another process made a file of that name.*1 whole row is in .*rows\.jsonl\.part/);
      expect([read('rows.jsonl'), read('rows.jsonl.part')]).toEqual(['theirs', '1\n']);
    });
  });

  describe('what can be known to fail fails before the source is subscribed', () => {
    const untouched = new Observable(() => {
      throw new Error('the source was subscribed');
    });
    const refusal = async (name: string, options?: FileOptions): Promise<string> => {
      const error: unknown = await write(untouched, name, options).catch((reason: unknown) => reason);
      return error instanceof SinkError ? error.message : `not a SinkError: ${String(error)}`;
    };

    it('a folder of that name', async () => {
      mkdirSync(at('rows.jsonl'));
      expect(await refusal('rows.jsonl')).toMatch('there is a folder of that name');
      expect(await refusal('rows.jsonl', { overwrite: true })).toMatch('there is a folder of that name');
    });

    it('a file where a folder has to be', async () => {
      writeFileSync(at('file'), '');
      expect(await refusal('file/rows.jsonl')).toMatch(/ENOTDIR|EEXIST/);
    });

    it('a folder that may not be written to', async () => {
      for (const code of ['EACCES', 'EROFS']) {
        const fileSystem = new MemoryFileSystem(new MemoryDisk({ fault: (step) => (step.kind === 'make' ? code : undefined) }));
        expect(await refusal('rows.jsonl', { fileSystem })).toMatch(code);
      }
      if (process.getuid?.() === 0) return; // root may
      mkdirSync(at('closed'));
      chmodSync(at('closed'), 0o500);
      expect(await refusal('closed/rows.jsonl')).toMatch('EACCES');
    });

    it('a NUL in the name, a name that is too long', async () => {
      expect(await refusal('a\0b.jsonl')).toMatch("can't contain a NUL");
      expect(await refusal(`${'x'.repeat(300)}.jsonl`)).toMatch('the name is too long (ENAMETOOLONG)');
    });

    it('a path that leaves the folder it has to stay in', async () => {
      mkdirSync(at('in'));
      mkdirSync(at('secret'));
      writeFileSync(at('secret/file.jsonl'), 'secret');
      symlinkSync(at('secret'), at('in/link'));
      symlinkSync(at('secret/file.jsonl'), at('in/file.jsonl'));
      const inside = (name: string): Promise<FileReport> =>
        lastValueFrom(untouched.pipe(toJsonl(name, { within: at('in'), overwrite: true })));
      await expect(inside('../rows.jsonl')).rejects.toThrow("leaves the folder with '..'");
      await expect(inside(at('rows.jsonl'))).rejects.toThrow('the path is absolute');
      await expect(inside('link/rows.jsonl')).rejects.toThrow('a symlink leads out');
      await expect(inside('link/new/rows.jsonl')).rejects.toThrow('a symlink leads out');
      await expect(inside('file.jsonl')).rejects.toThrow('a symlink leads out');
      await lastValueFrom(of(1).pipe(toJsonl('new/rows.jsonl', { within: at('in') })));
      expect(read('in/new/rows.jsonl')).toBe('1\n');
      expect(readdirSync(at('secret'))).toEqual(['file.jsonl']);
    });
  });

  describe('a stream that fails', () => {
    it('leaves nothing at the path, and says which rows are beside it', async () => {
      const fault = new HttpError('mapsReviews: HTTP 500', { operation: 'mapsReviews', status: 500 });
      const error: unknown = await write(
        concat(
          from(rows),
          throwError(() => fault),
        ),
        'rows.jsonl',
      ).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SinkError);
      expect(error).toMatchObject({
        message: `${at('rows.jsonl')} was not written: mapsReviews: HTTP 500. 3 whole rows are in ${at('rows.jsonl.part')}; the next run to this path replaces that file.`,
        cause: fault,
        operation: 'mapsReviews',
        status: 500,
      });
      expect(readdirSync(folder)).toEqual(['rows.jsonl.part']);
      expect(read('rows.jsonl.part').split('\n')).toHaveLength(4);
      expect((await write(from(rows), 'rows.jsonl')).rows).toBe(3);
      expect(readdirSync(folder)).toEqual(['rows.jsonl']);
    });

    it('leaves nothing at all when no row came', async () => {
      await expect(
        write(
          throwError(() => new Error('no')),
          'rows.jsonl',
        ),
      ).rejects.toThrow('Nothing was left beside it.');
      expect(readdirSync(folder)).toEqual([]);
    });

    it('fails on a row that has no JSON, the rows before it kept', async () => {
      const circle: { self?: unknown } = {};
      circle.self = circle;
      await expect(write(of(1, circle), 'rows.jsonl')).rejects.toThrow(/can't be written as JSON.*1 whole row is/);
      await expect(write(of(1, undefined), 'more.jsonl')).rejects.toThrow('a row is undefined');
      await expect(write(of(10n), 'big.jsonl')).rejects.toThrow('map such values to text first');
    });
  });

  describe('unsubscribing', () => {
    it('closes the file, leaves nothing at the path, and keeps whole rows beside it', async () => {
      const subscription = concat(from(rows), NEVER)
        .pipe(toJsonl(at('rows.jsonl')))
        .subscribe();
      subscription.unsubscribe();
      await until(() => !existsSync(at('rows.jsonl.lock')));
      expect(readdirSync(folder)).toEqual(['rows.jsonl.part']);
      expect(read('rows.jsonl.part')).toBe('{"id":1}\n{"id":2}\n{"id":3}\n');
    });

    it('waits for the write that is in flight', async () => {
      const fileSystem = new MemoryFileSystem();
      let go = (): void => undefined;
      fileSystem.pause = () => new Promise((wake) => (go = wake));
      const big = from(Array.from({ length: 300 }, (_, id) => ({ id, text: 'x'.repeat(1000) })));
      const subscription = concat(big, NEVER).pipe(toJsonl('/rows.jsonl', { fileSystem })).subscribe();
      subscription.unsubscribe();
      await new Promise(setImmediate);
      expect(fileSystem.openCount).toBe(2); // the part, and the lock
      for (let turn = 0; turn < 10; turn++) {
        go();
        await new Promise(setImmediate);
      }
      expect([fileSystem.openCount, fileSystem.disk.paths]).toEqual([0, ['/rows.jsonl.part']]);
      expect(fileSystem.disk.read('/rows.jsonl.part')!.toString().split('\n')).toHaveLength(301);
    });

    it('leaves nothing at the path while the file is being finished', async () => {
      const fileSystem = new MemoryFileSystem();
      const subscription = from(rows).pipe(toJsonl('/rows.jsonl', { fileSystem })).subscribe();
      subscription.unsubscribe();
      await until(() => fileSystem.openCount === 0);
      expect(fileSystem.disk.paths).toEqual(['/rows.jsonl.part']);
    });

    it('ends a source that never stops by itself', () => {
      let count = 0;
      const endless = new Observable<unknown>((subscriber) => {
        while (!subscriber.closed && count < 1e6) subscriber.next(count++ === 5 ? undefined : {});
      });
      endless.pipe(toJsonl(at('rows.jsonl'))).subscribe({ error: () => undefined });
      expect(count).toBe(6);
    });
  });

  describe('demand', () => {
    /** A source that has rows for as long as nobody says hold. */
    const eager = (node: (node: DemandNode) => void, row: unknown, most: number): Observable<unknown> =>
      new Observable((subscriber) => {
        const demand = currentDemand()!;
        node(demand);
        void (async () => {
          for (let count = 0; count < most && !subscriber.closed; count++) {
            const holder = demand.holder();
            if (holder !== undefined) await new Promise<void>((wake) => holder.wait({ resume: wake, letGo: () => false }));
            subscriber.next(row);
            if (count % 20 === 0) await new Promise(setImmediate);
          }
          subscriber.complete();
        })();
      });

    it.each([
      ['1,000 rows', {}, 1_020],
      ['1 MiB', { text: 'x'.repeat(10_000) }, 130],
    ])('is withdrawn when %s wait for a disk that stands still', async (_, row, most) => {
      const fileSystem = new MemoryFileSystem();
      let still = true;
      const waiting: (() => void)[] = [];
      fileSystem.pause = () => (still ? new Promise((wake) => waiting.push(wake)) : Promise.resolve());
      let node: DemandNode | undefined;
      let taken = 0;
      const source = eager((one) => (node = one), row, 3000).pipe(map((value) => (taken++, value)));
      const report = lastValueFrom(source.pipe(toJsonl('/rows.jsonl', { fileSystem })));
      await until(() => node?.holding === true);
      const held = taken;
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      expect([taken, node?.depth]).toEqual([held, 0]);
      expect(taken).toBeLessThanOrEqual(most);
      still = false;
      for (const wake of waiting) wake();
      expect((await report).rows).toBe(3000);
      expect(node?.holding).toBe(false);
    });

    it('is not needed for flat memory: a source that can not be held is met with synchronous writes', async () => {
      const fileSystem = new MemoryFileSystem();
      const text = 'x'.repeat(100_000);
      let done = 0;
      const report = lastValueFrom(range(0, 200).pipe(map((id) => ({ id, text })), toJsonl('/rows.jsonl', { fileSystem }))); // prettier-ignore
      for (const step of fileSystem.disk.log) if (step.kind === 'write') done += step.bytes.length;
      expect(done).toBeGreaterThan(15_000_000);
      expect((await report).rows).toBe(200);
      const lines = fileSystem.disk.read('/rows.jsonl')!.toString().split('\n').slice(0, -1);
      expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(Array.from({ length: 200 }, (_, id) => id));
    });
  });

  it('refuses options that can not be right when it is called', () => {
    const call =
      (options: unknown, path: unknown = 'rows.jsonl') =>
      () =>
        toJsonl(path as string, options as FileOptions);
    expect(call({ mode: 1000 })).toThrow(new RangeError('toJsonl: mode must be permissions from 0 to 0o777, not 1000'));
    expect(call({ overwrite: true, append: true })).toThrow('toJsonl: append must be false where overwrite is true, not true');
    expect(call({}, '')).toThrow("toJsonl: path must be the name of a file, not ''");
    expect(call({}, 'rows.parquet')).toThrow('use toParquet');
  });
});
