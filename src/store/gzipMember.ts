import { crc32, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import type { ByteBuffer } from '../files/ByteBuffer.ts';

/*
 * 10 bytes that every member starts with, then an extra field `sl` with the lengths of the member and of its content
 * (ISO 28500, skip lengths), so that a reader finds the next member without inflating this one.
 */
const start = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 12, 0, 0x73, 0x6c, 8, 0]);
const headBytes = start.length + 8;
const tailBytes = 8;
/** The head that zlib writes. */
const plainHeadBytes = 10;
const blockBytes = 65_535;
const maxTogether = 512 * 1024;

/** The length of the shortest possible member. */
export const minMemberBytes: number = headBytes + tailBytes;

/**
 * Appends a gzip member and returns its length. `deflate` false stores the content unchanged, which suits compressed content
 * and costs next to nothing.
 */
export function addMember(to: ByteBuffer, content: Buffer, deflate: boolean): number {
  // zlib adds up the checksum while it compresses, for less than a pass of its own would cost
  const packed = deflate
    ? gzipSync(content, { level: 1, chunkSize: Math.max(4096, content.length >> 2), windowBits: windowBitsFor(content.length) })
    : undefined;
  const blocks = Math.max(1, Math.ceil(content.length / blockBytes));
  const from = to.length;
  const length = headBytes + (packed === undefined ? content.length + 5 * blocks + tailBytes : packed.length - plainHeadBytes);
  const member = to.room(length);
  start.copy(member, from);
  member.writeUInt32LE(length, from + start.length);
  member.writeUInt32LE(content.length, from + start.length + 4);
  if (packed === undefined) storeBlocks(content, blocks, member, from + headBytes);
  else packed.copy(member, from + headBytes, plainHeadBytes);
  to.length = from + length;
  return length;
}

/**
 * A window that all of the content fits in, with the 262 bytes that zlib keeps free. The bytes are the same as with the usual one, and
 * zlib has less memory to clear, which is most of what a small response costs.
 */
function windowBitsFor(length: number): number {
  return Math.min(15, Math.max(9, Math.ceil(Math.log2(length + 262))));
}

/** Writes the content as blocks that aren't compressed, and its checksum. */
function storeBlocks(content: Buffer, blocks: number, to: Buffer, start: number): void {
  let at = start;
  for (let block = 0; block < blocks; block++) {
    const from = block * blockBytes;
    const length = Math.min(blockBytes, content.length - from);
    to[at] = block === blocks - 1 ? 1 : 0;
    to.writeUInt16LE(length, at + 1);
    to.writeUInt16LE(length ^ 0xffff, at + 3);
    content.copy(to, at + 5, from, from + length);
    at += 5 + length;
  }
  to.writeUInt32LE(crc32(content), at);
  to.writeUInt32LE(content.length, at + 4);
}

/** The length of the member at `at`, from its header. undefined if none of ours starts there. */
export function memberLength(bytes: Buffer, at: number): number | undefined {
  if (at + headBytes > bytes.length || bytes.compare(start, 0, start.length, at, at + start.length) !== 0) return undefined;
  const length = bytes.readUInt32LE(at + start.length);
  return length < minMemberBytes ? undefined : length;
}

/** Where the next member may start, from `at` on. -1 if there is none. */
export function findMember(bytes: Buffer, at: number): number {
  return bytes.indexOf(start, at);
}

/** The content of a whole member. undefined if any of it has changed. */
export function memberContent(member: Buffer): Buffer | undefined {
  if (memberLength(member, 0) !== member.length) return undefined;
  const size = member.readUInt32LE(start.length + 4);
  if (member.readUInt32LE(member.length - 4) !== size) return undefined;
  const packed = member.subarray(headBytes, member.length - tailBytes);
  const content = isStored(member, 0) ? joinBlocks(packed) : inflate(packed, size);
  if (content?.length !== size || crc32(content) !== member.readUInt32LE(member.length - 8)) return undefined;
  return content;
}

/**
 * The contents of the compressed members from `from` on, up to 512 kB. One call of zlib for many costs less than a call for
 * each. undefined if they have to be read one by one: there is only one, or any of them has changed.
 */
export function memberContents(bytes: Buffer, from: number): readonly { readonly at: number; readonly content: Buffer }[] | undefined {
  const sizes: [at: number, size: number][] = [];
  let total = 0;
  let end = from;
  for (let length = memberLength(bytes, end); length !== undefined; length = memberLength(bytes, end)) {
    if (end + length > bytes.length || isStored(bytes, end)) break;
    const size = bytes.readUInt32LE(end + start.length + 4);
    if (bytes.readUInt32LE(end + length - 4) !== size || total + size > maxTogether) break;
    sizes.push([end, size]);
    total += size;
    end += length;
  }
  const all = sizes.length < 2 ? undefined : gunzip(bytes.subarray(from, end), total);
  if (all?.length !== total) return undefined;
  let at = 0;
  return sizes.map(([offset, size]) => ({ at: offset, content: all.subarray(at, (at += size)) }));
}

/** Whether the content of a member begins uncompressed. */
function isStored(bytes: Buffer, at: number): boolean {
  return (bytes[at + headBytes]! & 6) === 0;
}

function joinBlocks(packed: Buffer): Buffer | undefined {
  const blocks: Buffer[] = [];
  let at = 0;
  for (;;) {
    if (at + 5 > packed.length || (packed[at]! & 0xfe) !== 0) return undefined;
    const length = packed.readUInt16LE(at + 1);
    const end = at + 5 + length;
    if (packed.readUInt16LE(at + 3) !== (length ^ 0xffff) || end > packed.length) return undefined;
    blocks.push(packed.subarray(at + 5, end));
    if (packed[at] === 1) return end === packed.length ? (blocks.length === 1 ? blocks[0] : Buffer.concat(blocks)) : undefined;
    at = end;
  }
}

function inflate(packed: Buffer, size: number): Buffer | undefined {
  try {
    return inflateRawSync(packed, roomFor(size));
  } catch {
    return undefined;
  }
}

/** It checks the checksum of each member. */
function gunzip(members: Buffer, size: number): Buffer | undefined {
  try {
    return gunzipSync(members, roomFor(size));
  } catch {
    return undefined;
  }
}

/** In one call, with a little room, so that zlib needs no second call to find the end. */
function roomFor(size: number): { readonly maxOutputLength: number; readonly chunkSize: number } {
  return { maxOutputLength: size + 64, chunkSize: size + 64 };
}
