import { describe, expect, it } from 'vitest';
import { openTarget, publishFolder } from '../../src/publish/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { moodCount } from '../disk/MemoryDisk.ts';
import { seeded } from '../files/seeded.ts';
import { finishedFiles } from './finishedFolder.ts';
import { readDataset } from './reader.ts';

const long = process.env['TRAWLER_LONG'] === '1';

/** Publishes the folder of the disk as a process of its own. */
async function publish(disk: MemoryDisk, fileSystem = new MemoryFileSystem(disk)): Promise<void> {
  const target = await openTarget('file:///shared/coffee', { fileSystem });
  try {
    await publishFolder('/out', target, { fileSystem });
  } finally {
    target.close();
  }
}

function finish(disk: MemoryDisk, run: number): void {
  const files = { 'same.csv': 'same\n', 'run.csv': `${run}\n`, 'big.jsonl': `${run}`.repeat(3500) };
  for (const [name, content] of Object.entries(finishedFiles(files))) disk.put(`/out/${name}`, content);
  disk.makeFolder('/out/.trawler');
}

/** The run whose dataset readers find. undefined: there is none. Throws if one is named that isn't there whole. */
async function runAt(disk: MemoryDisk): Promise<string | undefined> {
  const dataset = await readDataset((name) => Promise.resolve(disk.read(`/shared/coffee/${name}`)));
  return dataset?.files['run.csv']?.toString().trim();
}

/** A disk whose folder is finished, and whose publication is one run behind if there is one. */
async function behind(published: boolean, windows: boolean): Promise<MemoryDisk> {
  const disk = new MemoryDisk({ windows });
  finish(disk, 1);
  if (!published) return disk.copy();
  await publish(disk);
  finish(disk, 2);
  return disk.copy();
}

describe('publishFolder into a folder', () => {
  it.each([
    ['the first time', false, false],
    ['an update', true, false],
    ['an update under Windows', true, true],
  ])('shows the old version or the new one after a power cut at any step, and resumes: %s', async (_, published, windows) => {
    const whole = await behind(published, windows);
    await publish(whole);
    const [before, after] = published ? ['1', '2'] : [undefined, '1'];
    expect(await runAt(whole)).toBe(after);
    const wrong: string[] = [];
    const steps = whole.log.length;
    for (let step = 0; step <= steps; step++)
      for (let mood = long ? 0 : step % 3; mood < moodCount; mood += long ? 1 : 3) {
        const where = `step ${step} of ${steps}, mood ${mood}`;
        const left = whole.powerCut(seeded(step * 10 + mood), { until: step, mood });
        const found = await runAt(left).catch(String);
        // names are safe with the next file that is synced under Windows
        const isOver = step === steps && !windows;
        if (found !== after && (found !== before || isOver)) wrong.push(`${where}: readers find ${found}`);
        await publish(left).catch((error: unknown) => wrong.push(`${where}: ${String(error)}`));
        const then = await runAt(left).catch(String);
        if (then !== after) wrong.push(`${where}: then readers find ${then}`);
      }
    expect(wrong).toEqual([]);
  });
});
