import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystem } from '../../src/sinks/index.ts';
import { Reservations } from '../../src/store/Reservations.ts';
import { sha1 } from '../../src/store/digest.ts';
import { StoreFolder } from '../../src/store/StoreFolder.ts';

let folder: string;
let files: StoreFolder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reservations-'));
  files = new StoreFolder(folder, nodeFileSystem);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [one, two] = [sha1('one'), sha1('two')];
const host = hostname().replaceAll(/[^A-Za-z0-9]/g, '_');

/** Reservations that have looked at the folder. */
function reservations(): Reservations {
  const made = new Reservations(files);
  made.heed(files.content());
  return made;
}

/** The file of another process: that of pid 1, which always runs, or of one that is gone. */
function other(key: Buffer, state: number, pid = 1, start = ''): void {
  writeFileSync(join(folder, `reservations-${host}-${pid}-${start}-0`), Buffer.concat([key.subarray(0, 15), Buffer.from([state])]));
}

describe('Reservations', () => {
  it('lets one of two stores of a process send a request, until it is over', () => {
    const [mine, yours] = [reservations(), reservations()];
    expect([mine.take(one), yours.take(one), yours.take(two)]).toEqual([true, false, true]);
    mine.drop(one, false);
    expect(yours.take(one)).toBe(true);
    mine.drop(one, false); // not its own any more
    expect(mine.take(one)).toBe(false);
    mine.close();
    yours.close();
  });

  it.each([
    ['sends it', 2, false],
    ['asked first, by the name of its file', 1, false],
    ['has ended it', 0, true],
  ])('heeds another process that %s', (_, state, expected) => {
    other(one, state);
    const mine = reservations();
    expect(mine.take(one)).toBe(expected);
    expect(mine.take(two)).toBe(true);
    mine.close();
  });

  it('goes first where the file of the other process has the greater name', () => {
    writeFileSync(join(folder, `reservations-zzz-1--0`), Buffer.concat([one.subarray(0, 15), Buffer.from([1])]));
    const mine = reservations();
    expect(mine.take(one)).toBe(true);
    mine.close();
  });

  it('ignores the reservations of a process that is gone', () => {
    other(one, 2, 2 ** 22 + 1);
    const mine = reservations();
    expect(mine.take(one)).toBe(true);
    mine.close();
  });

  it.skipIf(nodeFileSystem.process.start === undefined)('ignores those of a process whose number another one has now', () => {
    other(one, 2, process.pid, '1');
    const mine = reservations();
    expect(mine.take(one)).toBe(true);
    mine.close();
  });

  it('keeps what was stored reserved for other processes until it is written, and lets its own have it at once', () => {
    const mine = reservations();
    const state = (): number => readFileSync(join(folder, readdirSync(folder)[0]!))[15]!;
    mine.take(one);
    const before = mine.writing();
    mine.drop(one, true);
    before();
    expect(state()).toBe(2);
    expect(mine.take(one)).toBe(true);
    mine.drop(one, true);
    mine.writing()();
    expect(state()).toBe(0);
    mine.close();
  });

  it('has as many slots as reservations at once, and no file when it is closed', () => {
    const mine = reservations();
    for (let i = 0; i < 1000; i++) {
      mine.take(sha1(`a ${i}`));
      mine.take(sha1(`b ${i}`));
      mine.drop(sha1(`a ${i}`), false);
      mine.drop(sha1(`b ${i}`), false);
    }
    const [name] = readdirSync(folder);
    expect(statSync(join(folder, name!)).size).toBe(2 * 16);
    mine.close();
    expect(readdirSync(folder)).toEqual([]);
  });
});
