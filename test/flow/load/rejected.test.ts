import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../../src/flow/index.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { moodCount } from '../../disk/MemoryDisk.ts';
import { seeded } from '../../files/seeded.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { fakeClient } from '../fakeClient.ts';
import { smallFlow, smallResponse } from '../smallFlow.ts';
import { memoryDestination, type MemoryDestination } from './memoryDestination.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const { people, reviews } = smallFlow.stages as { readonly [stage: string]: FlowDefinition['stages'][string] };
const flow: FlowDefinition = {
  name: 'small',
  stages: { people: { ...people!, to: 'memory:people' }, reviews: { ...reviews!, to: ['reviews.jsonl', 'memory:reviews'] } },
};

const newDestination = (): MemoryDestination => memoryDestination({ rejects: (line) => /id2"|\/1\/1"/.test(line) });

async function run(fileSystem: MemoryFileSystem, destination: MemoryDestination): Promise<void> {
  const client = fakeClient((asked) => smallResponse(asked, true));
  const options = { client, outDir: '/out', fileSystem, destinations: { memory: destination }, concurrency: 2, commitMs: 0 };
  await lastValueFrom(runFlow(flow, options));
}

/** What is loaded and what is rejected, in an order of its own and without positions, which depend on the order of requests. */
function outcome(disk: MemoryDisk, { tables }: MemoryDestination): readonly string[] {
  const rejected = String(disk.read('/out/rejected.jsonl') ?? '')
    .trimEnd()
    .split('\n');
  return [
    ...rejected.map((line) => JSON.stringify({ ...(JSON.parse(line) as object), at: 0 })),
    ...[...tables].flatMap(([name, lines]) => lines.map((line) => `${name} ${line}`)),
  ].sort();
}

describe('rejected.jsonl', () => {
  it('has each row that the destination cannot hold, once, after a crash at any step of the disk and of the destination', async () => {
    const [whole, golden] = [new MemoryDisk(), newDestination()];
    let steps = 0;
    golden.before = () => void (steps += 1);
    await run(new MemoryFileSystem(whole), golden);
    steps += whole.log.length;
    const expected = outcome(whole, golden);
    expect(expected.filter((line) => line.includes('"reason":"odd"'))).toHaveLength(6);
    const wrong: string[] = [];
    const [first] = ofTheDay([0, 1, 2, 3, 4, 5], 1);
    for (let at = long ? 0 : first!; at < steps; at += long ? 1 : 6) {
      let passed = 0;
      let isDead = false;
      const step = (): undefined => {
        if (passed++ !== at) return;
        isDead = true;
        dying.kill();
      };
      const disk: MemoryDisk = new MemoryDisk({ fault: step });
      const dying = new MemoryFileSystem(disk);
      const destination = newDestination();
      destination.before = () => {
        if (!isDead) step();
        if (isDead) throw new Error('killed');
      };
      await run(dying, destination).catch(() => undefined);
      // every other one is a power cut: what was not synced may be gone
      const left = at % 4 < 2 ? disk : disk.powerCut(seeded(at), { mood: at % moodCount });
      destination.before = () => undefined;
      await run(new MemoryFileSystem(left), destination).catch((error: unknown) => wrong.push(`step ${at}: ${String(error)}`));
      if (JSON.stringify(outcome(left, destination)) !== JSON.stringify(expected)) wrong.push(`step ${at}: other rows`);
    }
    expect(wrong).toEqual([]);
  });

  it('has it once although commits fail, and although their answers are lost', async () => {
    const [disk, undisturbed] = [new MemoryDisk(), new MemoryDisk()];
    const [destination, golden] = [newDestination(), newDestination()];
    await run(new MemoryFileSystem(undisturbed), golden);
    destination.fates.push('failed', 'lost', 'failed', 'failed', 'lost');
    await run(new MemoryFileSystem(disk), destination);
    expect(destination.fates).toEqual([]);
    expect(outcome(disk, destination)).toEqual(outcome(undisturbed, golden));
  });
});
