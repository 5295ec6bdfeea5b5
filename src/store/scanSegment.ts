import type { OpenFile } from '../files/FileSystem.ts';
import { findMember, memberContent, memberLength, minMemberBytes } from './gzipMember.ts';
import { readUpTo } from '../files/blocks.ts';
import { sha1 } from './digest.ts';
import type { StoreEntry } from './EntryTable.ts';
import type { WarcRecord } from './warcRecord.ts';

/** A part of a segment: a whole member with its content, or bytes that aren't a member (`content` is undefined). */
interface Stretch {
  readonly offset: number;
  readonly length: number;
  readonly content: Buffer | undefined;
}

const windowBytes = 4 * 2 ** 20;

/** Reads a segment from `from` to its end. It skips damaged bytes and finds what follows them. */
export function* scanSegment(file: OpenFile, from: number): Iterable<Stretch> {
  const size = file.size();
  let bytes: Buffer = Buffer.alloc(0);
  let base = from;
  let damagedFrom: number | undefined;
  /** The bytes from `offset` on: `length`, or as many as there are. */
  const have = (offset: number, length: number): Buffer => {
    if (offset + length > base + bytes.length || offset < base) {
      bytes = readUpTo(file, offset, Math.min(Math.max(length, windowBytes), size - offset));
      base = offset;
    }
    return bytes.subarray(offset - base);
  };
  for (let at = from; at < size;) {
    const length = memberLength(have(at, minMemberBytes), 0);
    const content = length === undefined || at + length > size ? undefined : memberContent(have(at, length).subarray(0, length));
    if (length !== undefined && content !== undefined) {
      if (damagedFrom !== undefined) yield { offset: damagedFrom, length: at - damagedFrom, content: undefined };
      damagedFrom = undefined;
      yield { offset: at, length, content };
      at += length;
      continue;
    }
    damagedFrom ??= at;
    const rest = have(at + 1, minMemberBytes);
    const next = findMember(rest, 0);
    // A member may begin at the end of the window: look again with the bytes that follow.
    at += 1 + (next >= 0 ? next : Math.max(0, rest.length - minMemberBytes));
    if (next < 0 && at + minMemberBytes >= size) break;
  }
  if (damagedFrom !== undefined) yield { offset: damagedFrom, length: size - damagedFrom, content: undefined };
}

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
