import { lastValueFrom } from 'rxjs';
import { runFlow, type FlowDefinition, type FlowSummary } from '../src/flow/index.ts';
import { MemoryDisk } from './disk/MemoryDisk.ts';
import { MemoryFileSystem } from './disk/MemoryFileSystem.ts';

/** A client of any service. */
interface Closing {
  close(): Promise<void>;
}

const runOn = (disk: MemoryDisk, flow: FlowDefinition, client: Closing) =>
  runFlow(flow, { client: client as never, outDir: '/out', fileSystem: new MemoryFileSystem(disk), commitMs: 0 });

/** Runs a flow on a disk in memory, in its folder `/out`, to its end. */
export async function runInMemory(flow: FlowDefinition, client: Closing, disk: MemoryDisk = new MemoryDisk()): Promise<MemoryDisk> {
  const { outcome } = (await lastValueFrom(runOn(disk, flow, client))) as FlowSummary;
  if (outcome !== 'complete' && outcome !== 'capped') throw new Error(`the flow is ${outcome}`);
  return disk;
}

/** The disk as a kill leaves it: in front of the first change of a file for which `isTime`. What follows reaches the service only. */
export async function killedDisk(flow: FlowDefinition, client: Closing, isTime: (disk: MemoryDisk) => boolean): Promise<MemoryDisk> {
  const left = await new Promise<MemoryDisk>((resolve, reject) => {
    let isOver = false;
    const disk = new MemoryDisk({
      fault() {
        if (isOver || !isTime(disk)) return undefined;
        isOver = true;
        resolve(disk.copy({}));
        return void setImmediate(() => running.unsubscribe());
      },
    });
    const ended = (): void => reject(new Error('the flow ended before it was killed'));
    const running = runOn(disk, flow, client).subscribe({ error: ended, complete: ended });
  });
  await client.close();
  return left;
}

/** Runs a flow, kills it, and runs it again to its end. Gives the disk. */
export async function killAndResume(flow: FlowDefinition, open: () => Closing, isTime: () => boolean): Promise<MemoryDisk> {
  const disk = await killedDisk(flow, open(), isTime);
  const client = open();
  await runInMemory(flow, client, disk);
  await client.close();
  return disk;
}

/** The rows of a JSONL file. */
export function rowsOn(disk: MemoryDisk, file: string): readonly { readonly id: string }[] {
  return String(disk.read(`/out/${file}`)).trim().split('\n').map((line) => JSON.parse(line) as { readonly id: string }); // prettier-ignore
}
