import { basename } from 'node:path';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from '../files/ByteBuffer.ts';
import { closeAfter } from '../files/takeWatchedLock.ts';
import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import type { EntryRef } from './EntryTable.ts';
import { addMember } from './gzipMember.ts';
import { openStore } from './openStore.ts';
import { StoreFolder } from './StoreFolder.ts';
import { sumHits } from './summarizeStore.ts';
import { encodeInfo } from './warcRecord.ts';
import { callback, having, number, declareOptions } from '../../operators/options/index.ts';

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

const pruneOptions = declareOptions<PruneOptions>()({
  olderMs: number({ from: 0 }).or(Infinity),
  now: callback<() => number>().or(Date.now),
  fileSystem: having<FileSystem>('a file system', 'open').or(nodeFileSystem),
});

const smallBytes = 2 ** 20;

/**
 * Frees disk space: drops old responses, replaced responses and torn ends, and joins small segments. Everything kept is
 * safe on disk before anything is removed. Throws while another process stores into the folder.
 */
export async function pruneStore(folder: string, options: PruneOptions = {}): Promise<PruneReport> {
  const { olderMs, now, fileSystem } = pruneOptions.read('pruneStore', options);
  const files = new StoreFolder(folder, fileSystem);
  const { segments, live, stale, hits } = files.content();
  const [busy] = live;
  if (busy !== undefined) throw new SinkError(`${folder}: a process is storing into ${files.segment(busy)}; prune when it is done`);
  const store = openStore(folder, { mode: 'replay', fileSystem });

  const oldest = now() - olderMs;
  const kept: EntryRef[] = [];
  let dropped = 0;
  for (const entry of store.current()) {
    if (entry.at >= oldest) kept.push(entry);
    else dropped++;
  }
  const rewritten = segmentsToRewrite(files, segments, kept);
  const bytesBefore = files.sizeOf({ segments });
  await closeAfter(openStore(folder, { mode: 'record', fileSystem }), async (pruned) => {
    for (const number of rewritten) pruned.forget(number);
    for (const entry of kept.sort((a, b) => a.segment - b.segment || a.offset - b.offset)) {
      if (!rewritten.has(entry.segment)) continue;
      const record = store.read(entry);
      if (typeof record === 'string') continue; // it is damaged, so nothing is lost
      const { service, operation } = store.nameOf(entry);
      const query = record.key.slice(record.key.indexOf('?') + 1);
      pruned.put({ service, operation, query, url: record.url }, record, record.at);
      if (pruned.backlog > 16 * smallBytes) await pruned.sync();
    }
  });
  joinHits(files, hits);
  for (const number of rewritten) {
    files.remove(files.segment(number));
    files.remove(files.index(number));
  }
  for (const name of stale) files.remove(files.at(name));
  if (files.exists) await fileSystem.syncFolder(folder);
  await store.close();
  return { dropped, kept: kept.length, bytesBefore, bytesAfter: files.sizeOf({ segments: files.content().segments }) };
}

/**
 * Segments to rewrite: those with more than what is kept, small ones if there are several, and those whose revisits lose
 * their bodies.
 */
function segmentsToRewrite(files: StoreFolder, segments: readonly number[], kept: readonly EntryRef[]): Set<number> {
  const keptBytes = new Map<number, number>();
  for (const { segment, length } of kept) keptBytes.set(segment, (keptBytes.get(segment) ?? 0) + length);
  const sizes = new Map(segments.map((number) => [number, files.size(files.segment(number)) ?? 0]));
  const small = segments.filter((number) => sizes.get(number)! < smallBytes);
  const rewritten = new Set(small.length > 1 ? small : []);
  for (const [number, size] of sizes) {
    const info = addMember(new ByteBuffer(1024), encodeInfo(basename(files.segment(number)), 0), false); // the first record, as long as any such
    if (size - (keptBytes.get(number) ?? 0) > info) rewritten.add(number);
  }
  if (rewritten.size > 0) for (const { segment, revisit } of kept) if (revisit) rewritten.add(segment);
  return rewritten;
}

/** Joins all counts of hits into one file. */
function joinHits(files: StoreFolder, names: readonly string[]): void {
  const [first, ...others] = names;
  if (first === undefined || others.length === 0) return;
  files.replace(files.at(first), Buffer.from(`${JSON.stringify(sumHits(files, names))}\n`));
  for (const name of others) files.remove(files.at(name));
}
