import { getOrInsert } from '../../operators/kit/once.ts';
import { dayText } from '../../operators/kit/days.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { openStore } from './openStore.ts';
import { requestOfKey } from './ResponseIndex.ts';
import { StoreFolder } from './StoreFolder.ts';

/** Responses of one operation on one day. */
export interface StoredDay {
  readonly service: string;
  readonly operation: string;
  /** Such as 2026-01-31, in UTC. */
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
}

/** Summarizes a store by operation and day. Reads only the indexes. */
export function summarizeStore(folder: string, fileSystem: FileSystem = nodeFileSystem): StoreSummary {
  const store = openStore(folder, { mode: 'replay', fileSystem });
  const files = new StoreFolder(folder, fileSystem);
  const days = new Map<string, { service: string; operation: string; day: string; responses: number; bytes: number }>();
  for (const [key, { at, length }] of store.current()) {
    const { service, operation } = requestOfKey(key);
    const day = dayText(at);
    const sum = getOrInsert(days, `${service}/${operation} ${day}`, () => ({ service, operation, day, responses: 0, bytes: 0 }));
    sum.responses++;
    sum.bytes += length;
  }
  const { segments } = files.content();
  const order = [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, day]) => day);
  return { days: order, responses: store.size, bytes: files.sizeOf(segments), segments: segments.length };
}
