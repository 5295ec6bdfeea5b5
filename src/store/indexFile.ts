import { crc32 } from 'node:zlib';
import { entryWords } from './EntryTable.ts';

/*
 * An index file is a head of 16 bytes and frames: kind, length and CRC-32 of what follows, 4 bytes each, then the entries
 * of a batch, or the name of an operation padded with zeros. Numbers are as the machine writes them; the head tells, so
 * that an index of another machine's byte order counts as missing and is made again.
 */
export const indexHead: Buffer = Buffer.concat([Buffer.from('TRAWLIDX'), Buffer.from(Uint32Array.of(1, 0).buffer)]);

type IndexFrame = { readonly kind: 'operation'; readonly name: string } | { readonly kind: 'entries'; readonly words: Uint32Array };

const frameHeadBytes = 12;
const kinds = { operation: 1, entries: 2 } as const;

export function encodeFrame(frame: IndexFrame): Buffer {
  const content = frame.kind === 'operation' ? padded(Buffer.from(frame.name)) : bytesOf(frame.words);
  return Buffer.concat([bytesOf(Uint32Array.of(kinds[frame.kind], content.length, crc32(content))), content]);
}

/** Reads whole frames. `bytes` starts with a frame. `end` is where the first incomplete one starts. */
export function decodeFrames(bytes: Buffer): { readonly frames: IndexFrame[]; readonly end: number } {
  const frames: IndexFrame[] = [];
  let end = 0;
  while (end + frameHeadBytes <= bytes.length) {
    const [kind, length, sum] = wordsOf(bytes.subarray(end, end + frameHeadBytes));
    const content = bytes.subarray(end + frameHeadBytes, end + frameHeadBytes + length!);
    if (content.length !== length || length % 4 !== 0 || crc32(content) !== sum) break;
    if (kind === kinds.operation) frames.push({ kind: 'operation', name: content.toString().replace(/\0+$/, '') });
    else if (kind === kinds.entries && length % (entryWords * 4) === 0) frames.push({ kind: 'entries', words: wordsOf(content) });
    else break;
    end += frameHeadBytes + length;
  }
  return { frames, end };
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength);
}

function wordsOf(bytes: Buffer): Uint32Array {
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
