import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { nodeFileSystem, openOutput, takeLock, type FileSystem } from '../../src/sinks/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const mine = (): Record<string, unknown> => {
  const { release } = takeLock(path, nodeFileSystem);
  const owner = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  release();
  return owner;
};

describe('takeLock', () => {
  it('lets one holder in at a time, and names the current one', () => {
    const { release } = takeLock(path, nodeFileSystem);
    expect(() => takeLock(path, nodeFileSystem)).toThrow(`process ${process.pid} on ${hostname()} is writing there`);
    release();
    takeLock(path, nodeFileSystem).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1 }],
    ['a process whose number another one has now', { start: '1' }],
    ['a process of an earlier boot that was last heard of long ago', { boot: 'before', beat: 1_600_000_000_000 }],
    ['a process whose start the system does not tell, and that was last heard of long ago', { start: undefined, beat: 1_600_000_000_000 }],
    ['a process of another machine that was last heard of long ago', { host: 'elsewhere', beat: 1_600_000_000_000 }],
  ])('takes over the lock of %s', (_, change) => {
    writeFileSync(path, JSON.stringify({ ...mine(), ...change }));
    takeLock(path, nodeFileSystem).release();
    expect(existsSync(path)).toBe(false);
  });

  it('of a process whose start the system does not tell is held while it beats, and free once the process has ended', () => {
    const owner = { ...mine(), start: undefined };
    writeFileSync(path, JSON.stringify(owner));
    expect(() => takeLock(path, nodeFileSystem)).toThrow('is writing there');
    writeFileSync(path, JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
    const { release, takenOver } = takeLock(path, nodeFileSystem);
    expect(takenOver).toBe(false);
    release();
  });

  it.each([
    ['another container', { space: 'pid:[1]' }],
    ['another machine', { host: 'elsewhere' }],
    ['another machine of the same name', { boot: 'other' }],
  ])('keeps out of the way of %s, whose process numbers say nothing here', (_, change) => {
    writeFileSync(path, JSON.stringify({ ...mine(), pid: 2 ** 22 + 1, ...change }));
    expect(() => takeLock(path, nodeFileSystem)).toThrow('is writing there');
  });

  it('renews the lock by the timers and the clock of its disk', () => {
    const later: (() => void)[] = [];
    let now = 1_800_000_000_000;
    const after = (ms: number, run: () => void): (() => void) => {
      later.push(() => ((now += ms), run()));
      return () => void later.splice(0);
    };
    const disk = new MemoryDisk({ now: () => now, after });
    const { release } = takeLock('/lock', new MemoryFileSystem(disk));
    for (let times = 0; times < 3; times++) later.shift()!();
    expect(JSON.parse(disk.read('/lock')!.toString())).toMatchObject({ beat: 1_800_000_006_000 });
    release();
    expect(later).toEqual([]);
  });

  it('renews the lock while it holds it, and is told when another process takes it', async () => {
    vi.useFakeTimers();
    try {
      const held = takeLock(path, nodeFileSystem);
      const first = readFileSync(path, 'utf8');
      vi.advanceTimersByTime(2100);
      const second = readFileSync(path, 'utf8');
      expect(second).not.toBe(first);
      expect(second).toHaveLength(first.length);
      writeFileSync(path, JSON.stringify({ ...(JSON.parse(second) as object), pid: 1 }));
      vi.advanceTimersByTime(2100);
      expect((await held.lost).message).toContain('process 1 on');
      expect(held.check).toThrow('has taken over');
      held.release();
      expect(existsSync(path)).toBe(true); // the other one's
    } finally {
      vi.useRealTimers();
    }
  });

  it('never renews the lock of a process that has taken over', () => {
    vi.useFakeTimers();
    try {
      const held = takeLock(path, nodeFileSystem);
      const other = JSON.stringify({ host: 'elsewhere', pid: 1 });
      rmSync(path);
      writeFileSync(path, other);
      vi.advanceTimersByTime(10_000);
      held.release();
      expect(readFileSync(path, 'utf8')).toBe(other);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says that a process that was away has lost it, also if the other one has ended since', () => {
    const held = takeLock(path, nodeFileSystem);
    held.check();
    rmSync(path);
    expect(held.check).toThrow('another process took over and has ended since');
    held.release();
  });

  it('keeps the lock while the system can not say whose it is', () => {
    let refuse = false;
    const open: FileSystem['open'] = (...args) => {
      if (refuse) throw Object.assign(new Error('too many files'), { code: 'EMFILE' });
      return nodeFileSystem.open(...args);
    };
    const held = takeLock(path, { ...nodeFileSystem, open });
    refuse = true;
    held.check();
    refuse = false;
    held.check();
    held.release();
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['of another machine', { host: 'elsewhere', beat: 1_600_000_000_000 }, true],
    ['that can not be read', undefined, true],
    ['of a process that is gone', { pid: 2 ** 22 + 1 }, false],
  ])('says whether the holder may be asleep: the lock %s', (_, change, takenOver) => {
    writeFileSync(path, change === undefined ? '' : JSON.stringify({ ...mine(), ...change }));
    const held = takeLock(path, nodeFileSystem);
    expect(held.takenOver).toBe(takenOver);
    held.release();
  });

  it('takes over a lock whose text a power cut took', () => {
    for (const text of ['', '\0\0\0', '{"pid":', '{}', 'null']) {
      writeFileSync(path, text);
      takeLock(path, nodeFileSystem).release();
      expect(existsSync(path)).toBe(false);
    }
  });

  it.runIf(existsSync('/proc/self/stat'))('takes over the lock of a process that was killed and that nobody has waited for', async () => {
    // The shell becomes a sleeper that doesn't ask how its child ended.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const pid = Number(await new Promise<string>((wake) => parent.stdout.once('data', (bytes: Buffer) => wake(bytes.toString()))));
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'); // a shell would wait for it
      const stat = (): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      writeFileSync(path, JSON.stringify({ ...mine(), pid, start: stat()[19] }));
      expect(() => takeLock(path, nodeFileSystem)).toThrow(`process ${pid} on`);
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => stat()[0]).toBe('Z');
      takeLock(path, nodeFileSystem).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('takes the lock beside drafts that dead processes of the same number have left', () => {
    const disk = new MemoryFileSystem();
    for (let number = 0; number < 20; number++) disk.open(`/lock.${disk.process.pid}.${number}`, 'wx').close();
    const { release } = takeLock('/lock', disk);
    expect(disk.list('/')).toContain('lock');
    release();
  });

  it('leaves no draft where its text does not fit', () => {
    const open: FileSystem['open'] = (...args) => ({
      ...nodeFileSystem.open(...args),
      writeSync() {
        throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      },
    });
    expect(() => takeLock(path, { ...nodeFileSystem, open })).toThrow('the disk is full');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the lock of another machine alone', () => {
    writeFileSync(path, JSON.stringify({ ...mine(), host: 'elsewhere', pid: 1 }));
    expect(() => takeLock(path, nodeFileSystem)).toThrow('process 1 on elsewhere is writing there');
    expect(existsSync(path)).toBe(true);
  });
});

describe('a process that sleeps while it writes', () => {
  it('writes nothing into the part of the process that resumed it, and gives its file no name', async () => {
    const file = join(folder, 'rows.jsonl');
    const asleep = openOutput(file);
    asleep.write({ id: 0 });
    const { bytes, rows } = await asleep.commit();
    asleep.write({ id: 'lost' });
    const lock = `${file}.lock`;
    writeFileSync(
      lock,
      JSON.stringify({ ...(JSON.parse(readFileSync(lock, 'utf8')) as object), host: 'elsewhere', beat: 1_600_000_000_000 }),
    );
    const output = openOutput(file, { resume: { bytes, rows } });
    output.write({ id: 1 });
    await output.commit();
    await expect(asleep.finish()).rejects.toThrow('has taken over');
    await asleep.abort();
    await output.finish();
    expect(readFileSync(file, 'utf8')).toBe('{"id":0}\n{"id":1}\n');
    expect(readdirSync(folder)).toEqual(['rows.jsonl']);
  });
});

describe('a process that is killed while it writes', () => {
  it('leaves nothing at the path, no lock that holds, and committed rows that can be gone on with', async () => {
    const file = join(folder, 'rows.jsonl');
    const script = `
      import { openOutput } from ${JSON.stringify(`${inject('dist')}/bundle/sinks.js`)};
      const output = openOutput(${JSON.stringify(file)});
      for (let id = 0; ; id++) {
        output.write({ id, text: 'x'.repeat(500) });
        if (id % 50 === 49) process.stdout.write(JSON.stringify(await output.commit()) + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    const gone = new Promise((wake) => child.on('close', wake));
    child.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.split('\n').length > 5) child.kill('SIGKILL');
    });
    await gone;
    expect(readdirSync(folder).sort()).toEqual(['rows.jsonl.lock', 'rows.jsonl.part']);
    const last = JSON.parse(said.split('\n').at(-2)!) as { bytes: number; rows: number };
    const output = openOutput(file, { resume: last });
    output.write({ id: last.rows });
    await output.finish();
    const ids = readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => (JSON.parse(line) as { id: number }).id); // prettier-ignore
    expect(ids).toEqual(Array.from({ length: last.rows + 1 }, (_, id) => id));
    expect(readdirSync(folder)).toEqual(['rows.jsonl']);
  });
});
