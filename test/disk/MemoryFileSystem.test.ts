import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAll } from '../../src/files/blocks.ts';
import { type FileSystem, type OpenFile, systemCode } from '../../src/files/FileSystem.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { takeLock } from '../../src/files/takeLock.ts';
import { MemoryDisk, type MemoryDiskOptions } from './MemoryDisk.ts';
import { MemoryFileSystem } from './MemoryFileSystem.ts';

/** A file system on which operations are tried out within a folder, with the files that they have opened. */
interface Tried {
  readonly fileSystem: FileSystem;
  readonly folder: string;
  readonly open: OpenFile[];
}

/** An operation: what it does, as text that names the case, and as a function whose result is compared. */
type Operation = readonly [text: string, run: (on: Tried) => unknown];

const pathArb = fc.constantFrom('a', 'b', 'f', 'f/a', 'f/b', 'f/g', 'f/g/a', 'f/g/b');
const bytesArb = fc.uint8Array({ maxLength: 12 });

const on =
  (run: (fileSystem: FileSystem, at: (path: string) => string) => unknown) =>
  ({ fileSystem, folder }: Tried): unknown =>
    run(fileSystem, (path) => join(folder, path));

/** Does something with one of the open files, if there are any. */
const inFile = (index: number, run: (file: OpenFile) => unknown): Operation[1] => {
  return ({ open }) => (open.length === 0 ? 'none open' : run(open[index % open.length]!));
};

function read(file: OpenFile, at: number, length: number): string {
  const bytes = Buffer.alloc(length + 1);
  return `${file.readSync(bytes, 0, length, at)} ${bytes.toString('hex')}`;
}

const numberArb = fc.nat({ max: 20 });
const operationArb: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(pathArb, fc.constantFrom('r', 'r+', 'wx')).map(([path, flags]): Operation => [
    `open ${path} ${flags}`,
    ({ fileSystem, folder, open }) => {
      // a folder can be opened for reading on some systems; nothing does it
      if (fileSystem.stat(join(folder, path))?.kind === 'folder') return 'a folder';
      return open.push(fileSystem.open(join(folder, path), flags as 'r'));
    },
  ]),
  pathArb.map((path): Operation => [
    `stat ${path}`,
    on((fs, at) => {
      const { kind, size } = fs.stat(at(path)) ?? {};
      return [kind, kind === 'file' ? size : 0];
    }),
  ]),
  pathArb.map((path): Operation => [`list ${path}`, on((fs, at) => fs.list(at(path)).sort())]),
  pathArb.map((path): Operation => [`real path of ${path}`, on((fs, at) => fs.realPath(at(path)).length - at('').length)]),
  pathArb.map((path): Operation => [`folder ${path}`, on((fs, at) => fs.makeFolder(at(path))?.slice(at('').length))]),
  pathArb.map((path): Operation => [`remove folder ${path}`, on((fs, at) => fs.removeFolder(at(path)))]),
  pathArb.map((path): Operation => [`unlink ${path}`, on((fs, at) => fs.unlink(at(path)))]),
  fc.tuple(pathArb, pathArb, fc.constantFrom('link', 'rename')).map(([from, to, how]): Operation => [
    `${how} ${from} ${to}`,
    // with folders nothing does it
    on((fs, at) => ([from, to].some((one) => fs.stat(at(one))?.kind === 'folder') ? 'a folder' : fs[how as 'link'](at(from), at(to)))),
  ]),
  fc
    .tuple(pathArb, pathArb)
    .map(([one, other]): Operation => [`same ${one} ${other}`, on((fs, at) => fs.stat(at(one))?.id === fs.stat(at(other))?.id)]),
  fc
    .tuple(numberArb, bytesArb, numberArb)
    .map(([file, bytes, position]): Operation => [
      `write ${file} ${bytes.length} ${position}`,
      inFile(file, (open) => open.writeSync(bytes, 0, bytes.length, position)),
    ]),
  fc
    .tuple(numberArb, numberArb, fc.integer({ min: 1, max: 20 }))
    .map(([file, position, length]): Operation => [
      `read ${file} ${position} ${length}`,
      inFile(file, (open) => read(open, position, length)),
    ]),
  fc
    .tuple(numberArb, numberArb)
    .map(([file, length]): Operation => [`truncate ${file} ${length}`, inFile(file, (open) => open.truncate(length))]),
  numberArb.map((file): Operation => [`size ${file}`, inFile(file, (open) => open.size())]),
  numberArb.map((file): Operation => [`sync ${file}`, inFile(file, (open) => open.datasyncSync())]),
  numberArb.map((file): Operation => [`close ${file}`, inFile(file, (open) => open.close())]),
);

/** What an operation returns, or the code of its error. Where two paths are wrong, systems differ in the one that they name. */
function outcome(operation: Operation, tried: Tried): unknown {
  try {
    return operation[1](tried) ?? 'done';
  } catch (error) {
    const code = systemCode(error) ?? String(error);
    return code === 'ENOTDIR' && /^(link|rename) /.test(operation[0]) ? 'ENOENT' : code;
  }
}

/** All that is in a folder, with the bytes of the files. */
function contentOf({ fileSystem, folder }: Tried, path = ''): readonly string[] {
  return fileSystem
    .list(join(folder, path))
    .sort()
    .flatMap((name) => {
      const inside = join(path, name);
      if (fileSystem.stat(join(folder, inside))?.kind === 'folder')
        return [`${inside}/`, ...contentOf({ fileSystem, folder, open: [] }, inside)];
      return [`${inside} ${readAll(join(folder, inside), fileSystem).toString('hex')}`];
    });
}

function written(path: string, text: string, fileSystem: FileSystem): OpenFile {
  const file = fileSystem.open(path, 'wx');
  file.writeSync(Buffer.from(text), 0, text.length, 0);
  return file;
}

const onDisk = (options: MemoryDiskOptions): MemoryFileSystem => new MemoryFileSystem(new MemoryDisk(options));

describe('MemoryFileSystem', () => {
  it('does the same as a real disk', () => {
    const numRuns = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 500;
    fc.assert(
      fc.property(fc.array(operationArb, { minLength: 10, maxLength: 60 }), (operations) => {
        const real: Tried = { fileSystem: nodeFileSystem, folder: mkdtempSync(join(tmpdir(), 'trawler-disk-')), open: [] };
        const memory: Tried = { fileSystem: new MemoryFileSystem(), folder: '/data', open: [] };
        memory.fileSystem.makeFolder('/data');
        try {
          for (const [at, operation] of operations.entries())
            expect([at, operation[0], outcome(operation, memory)]).toEqual([at, operation[0], outcome(operation, real)]);
          expect(contentOf(memory)).toEqual(contentOf(real));
        } finally {
          for (const file of real.open) file.close();
          rmSync(real.folder, { recursive: true });
        }
      }),
      { numRuns },
    );
  });

  it('is full after so many bytes, also in the middle of a write, and has room again when a file is gone', () => {
    const disk = onDisk({ capacity: 10 });
    const one = written('/one', '123456', disk);
    const other = disk.open('/other', 'wx');
    expect(other.writeSync(Buffer.from('abcdef'), 0, 6, 0)).toBe(4);
    expect(() => other.writeSync(Buffer.from('ef'), 0, 2, 4)).toThrow('ENOSPC');
    expect(other.writeSync(Buffer.from('AB'), 0, 2, 0)).toBe(2); // what is there can be replaced
    disk.unlink('/one');
    expect(() => other.writeSync(Buffer.from('ef'), 0, 2, 4)).toThrow('ENOSPC'); // it is still open
    one.close();
    expect(other.writeSync(Buffer.from('ef'), 0, 2, 4)).toBe(2);
    expect(disk.disk.read('/other')!.toString()).toBe('ABcdef');
  });

  it('fails to read where it is told to', async () => {
    const disk = onDisk({ readFault: (path) => (path === '/a' ? 'EIO' : undefined) });
    const file = written('/a', 'x', disk);
    expect(() => readAll('/a', disk)).toThrow('EIO');
    await expect(file.read(Buffer.alloc(1), 0, 1, 0)).rejects.toThrow('EIO');
    written('/b', 'x', disk);
    expect(readAll('/b', disk).toString()).toBe('x');
  });

  it('loses nothing when its process is killed, which can do nothing any more, and whose lock is free', () => {
    const disk = new MemoryDisk();
    const [one, other] = [new MemoryFileSystem(disk), new MemoryFileSystem(disk)];
    const lock = takeLock('/lock', one);
    const file = written('/a', 'abc', one);
    expect(() => takeLock('/lock', other)).toThrow('process 1 on memory is writing there');
    one.kill();
    expect(() => file.writeSync(Buffer.from('d'), 0, 1, 3)).toThrow('ESRCH');
    expect(() => one.stat('/a')).toThrow('ESRCH');
    takeLock('/lock', other).release();
    expect(readAll('/a', other).toString()).toBe('abc');
    lock.release();
    expect(disk.paths).toEqual(['/a']);
  });

  it('under Windows, has one file for names that differ in case, renames nothing onto an open file, and reserves names', () => {
    const disk = onDisk({ windows: true });
    disk.makeFolder('/Out');
    const file = written('/out/Rows.jsonl', 'a', disk);
    expect(disk.disk.paths).toEqual(['/Out/Rows.jsonl']);
    expect(() => disk.open('/OUT/rows.JSONL', 'wx')).toThrow('EEXIST');
    const draft = written('/out/draft', 'b', disk);
    expect(() => disk.rename('/out/draft', '/out/rows.jsonl')).toThrow('EPERM');
    file.close();
    const reading = disk.open('/out/rows.jsonl', 'r');
    expect(() => reading.datasyncSync()).toThrow('EPERM');
    reading.close();
    disk.rename('/out/draft', '/out/rows.jsonl'); // the draft itself may be open
    expect(readAll('/out/rows.jsonl', disk).toString()).toBe('b');
    draft.close();
    for (const name of ['nul', 'COM1.csv', 'a:b', 'a.', 'a ']) expect(() => disk.open(`/out/${name}`, 'wx'), name).toThrow('EINVAL');
  });
});
