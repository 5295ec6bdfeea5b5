import { madeIn } from '../../operators/kit/once.ts';
import { dayText } from '../../operators/kit/days.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { openStore } from './openStore.ts';
import { readUpTo } from '../files/blocks.ts';
import { StoreFolder } from './StoreFolder.ts';

/** Responses of one operation on one day. */
export interface StoredDay {
  readonly service: string;
  readonly operation: string;
  /** As 2026-01-31, in UTC. */
  readonly day: string;
  readonly responses: number;
  /** On disk. */
  readonly bytes: number;
}

export interface StoreSummary {
  /** By operation, then by day. */
  readonly days: readonly StoredDay[];
  /** The current responses. */
  readonly responses: number;
  /** The whole folder on disk. */
  readonly bytes: number;
  readonly segments: number;
  /** Requests saved by the store, by operation. Replays aren't counted, because they would not have cost anything. */
  readonly saved: { readonly [operation: string]: number };
}

/** Summarizes a store by operation and day, and the requests it has saved. Reads only the indexes. */
export function summarizeStore(folder: string, fileSystem: FileSystem = nodeFileSystem): StoreSummary {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  const files = new StoreFolder(folder, fileSystem);
  const days = new Map<string, { service: string; operation: string; day: string; responses: number; bytes: number }>();
  let responses = 0;
  for (const entry of store.current()) {
    const { service, operation } = store.nameOf(entry);
    const day = dayText(entry.at);
    const key = `${service}/${operation} ${day}`;
    const sum = madeIn(days, key, () => ({ service, operation, day, responses: 0, bytes: 0 }));
    sum.responses++;
    sum.bytes += entry.length;
    responses++;
  }
  const content = files.content();
  const { segments, hits } = content;
  const saved = sumHits(files, hits);
  const order = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  return { days: order, responses, bytes: files.sizeOf(content), segments: segments.length, saved };
}

/** The hits that all processes counted, by `service/operation`. */
export function sumHits(files: StoreFolder, names: readonly string[]): { readonly [operation: string]: number } {
  const sum: { [operation: string]: number } = {};
  for (const name of names)
    for (const [operation, count] of Object.entries(readHits(files, name))) sum[operation] = (sum[operation] ?? 0) + count;
  return sum;
}

/** The hits that one process counted, by `service/operation`. Empty if its file is torn. */
function readHits(files: StoreFolder, name: string): { readonly [operation: string]: number } {
  const file = files.openToRead(files.at(name));
  if (file === undefined) return {};
  try {
    const hits: unknown = JSON.parse(readUpTo(file, 0, file.size()).toString());
    return Object.fromEntries(Object.entries(hits ?? {}).filter(([, count]) => Number.isSafeInteger(count)));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  } finally {
    file.close();
  }
}
