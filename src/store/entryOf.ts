import { sha1 } from './digest.ts';
import type { StoreEntry } from './EntryTable.ts';
import type { WarcRecord } from './warcRecord.ts';

/** The entry of a record, but for the number of its operation. */
export function entryOf(
  { key, payload, at, type, url }: Pick<WarcRecord, 'key' | 'payload' | 'at' | 'type' | 'url'>,
  segment: number,
  offset: number,
  length: number,
): Omit<StoreEntry, 'operation'> {
  return { key: sha1(key), payload, segment, offset, length, at, revisit: type === 'revisit', loopback: isLoopback(url) };
}

/** `service/operation` of a key. */
export function operationOfKey(key: string): string {
  const end = key.indexOf('?');
  return end < 0 ? key : key.slice(0, end);
}

/** Whether an address is on this machine. */
export function isLoopback(url: string): boolean {
  return /^https?:\/\/(?:localhost|[^/:]+\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)(?=[/:?]|$)/.test(url);
}
