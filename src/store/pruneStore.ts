import { basename } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { discard } from '../files/publish.ts';
import { closeAfter } from '../files/takeWatchedLock.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { openStore } from './openStore.ts';
import { requestOfKey } from './ResponseIndex.ts';
import { encodeMember, type StoredEntry } from './segment.ts';
import type { Store } from './Store.ts';
import { StoreFolder } from './StoreFolder.ts';
import { encodeInfo } from './warcRecord.ts';

export interface PruneOptions {
  /** Drop responses older than this. @default Infinity */
  readonly olderMs?: number | undefined;
  /** @default Date.now */
  readonly now?: (() => number) | undefined;
  /** @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

export interface PruneReport {
  /** Responses dropped because of their age. */
  readonly dropped: number;
  readonly kept: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

const smallBytes = 2 ** 20;

/**
 * Frees disk space: drops old responses, replaced responses and torn ends, and joins small segments. Everything kept is
 * safe on disk before anything is removed. Throws while another process stores into the folder.
 */
export async function pruneStore(folder: string, options: PruneOptions = {}): Promise<PruneReport> {
  const { olderMs = Infinity, now = Date.now, fileSystem = nodeFileSystem } = options;
  const files = new StoreFolder(folder, fileSystem);
  const { segments, live, stale } = files.content();
  const [busy] = live;
  if (busy !== undefined) throw new SinkError(`${folder}: a process is storing into ${files.segment(busy)}; prune when it is done`);
  const store = openStore(folder, { mode: 'replay', fileSystem });
  const current = store.current().map(([key, entry]) => [key, newestReadable(store, entry)] as const);
  const kept = current.filter(([, { at }]) => at >= now() - olderMs);
  const rewritten = segmentsToRewrite(files, segments, kept);
  const bytesBefore = files.sizeOf(segments);
  await closeAfter(openStore(folder, { mode: 'record', fileSystem }), (pruned) => {
    for (const [key, entry] of kept) {
      const record = rewritten.has(entry.segment) ? store.read(entry) : undefined;
      // a damaged one is skipped: it is lost already
      if (typeof record === 'object') pruned.keep({ ...requestOfKey(key), url: record.url }, record, record.at);
    }
    return pruned.sync();
  });
  for (const number of rewritten) {
    fileSystem.unlink(files.segment(number));
    discard(files.index(number), fileSystem);
  }
  for (const name of stale) fileSystem.unlink(files.at(name));
  if (files.exists) await fileSystem.syncFolder(folder);
  await store.close();
  const bytesAfter = files.sizeOf(files.content().segments);
  return { dropped: current.length - kept.length, kept: kept.length, bytesBefore, bytesAfter };
}

/** A damaged response doesn't replace the one before it. Only responses that replace others are read. */
function newestReadable(store: Store, newest: StoredEntry): StoredEntry {
  let entry = newest;
  while (entry.older !== undefined && typeof store.read(entry) === 'string') entry = entry.older;
  return entry;
}

/** The segments to rewrite: those that hold anything that isn't kept, and small ones if there are several. */
function segmentsToRewrite(files: StoreFolder, segments: readonly number[], kept: ReturnType<Store['current']>): Set<number> {
  const keptBytes = new Map<number, number>();
  for (const [, { segment, length }] of kept) keptBytes.set(segment, (keptBytes.get(segment) ?? 0) + length);
  const sizes = new Map(segments.map((number) => [number, files.size(files.segment(number)) ?? 0]));
  const small = segments.filter((number) => sizes.get(number)! < smallBytes);
  const rewritten = new Set(small.length > 1 ? small : []);
  for (const [number, size] of sizes) {
    const info = encodeMember(encodeInfo(basename(files.segment(number)), 0), false); // the first record: it always has this length
    if (size - (keptBytes.get(number) ?? 0) > info.length) rewritten.add(number);
  }
  return rewritten;
}
