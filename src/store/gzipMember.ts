import { crc32, deflateRawSync, gunzipSync, inflateRawSync } from 'node:zlib';
import { Scratch } from './Scratch.ts';

/*
 * 10 bytes that every member starts with, then an extra field `sl` with the lengths of the member and of its content
 * (ISO 28500, skip lengths), so that a reader finds the next member without inflating this one.
 */
const start = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 12, 0, 0x73, 0x6c, 8, 0]);
const headBytes = start.length + 8;
const tailBytes = 8;
const blockBytes = 65_535;
const mostTogether = 512 * 1024;

/** The length of the shortest possible member. */
export const minMemberBytes: number = headBytes + tailBytes;

const scratch = new Scratch();

/** A gzip member, which holds until the next one is made. `deflate` false stores the content unchanged, which suits compressed content and costs next to nothing. */
export function gzipMember(content: Buffer, deflate: boolean): Buffer {
  const squeezed = deflate ? deflateRawSync(content, { level: 1, chunkSize: Math.max(4096, content.length >> 2) }) : undefined;
  const blocks = Math.max(1, Math.ceil(content.length / blockBytes));
  const member = scratch.take(headBytes + (squeezed?.length ?? content.length + 5 * blocks) + tailBytes);
  start.copy(member);
  member.writeUInt32LE(member.length, start.length);
  member.writeUInt32LE(content.length, start.length + 4);
  if (squeezed === undefined) {
    let at = headBytes;
    for (let block = 0; block < blocks; block++) {
      const from = block * blockBytes;
      const length = Math.min(blockBytes, content.length - from);
      member[at] = block === blocks - 1 ? 1 : 0;
      member.writeUInt16LE(length, at + 1);
      member.writeUInt16LE(length ^ 0xffff, at + 3);
      content.copy(member, at + 5, from, from + length);
      at += 5 + length;
    }
  } else {
    squeezed.copy(member, headBytes);
  }
  member.writeUInt32LE(crc32(content), member.length - 8);
  member.writeUInt32LE(content.length, member.length - 4);
  return member;
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
    if (bytes.readUInt32LE(end + length - 4) !== size || total + size > mostTogether) break;
    sizes.push([end, size]);
    total += size;
    end += length;
  }
  const all = sizes.length < 2 ? undefined : gunzip(bytes.subarray(from, end), total);
  if (all?.length !== total) return undefined;
  let at = 0;
  return sizes.map(([place, size]) => ({ at: place, content: all.subarray(at, (at += size)) }));
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
