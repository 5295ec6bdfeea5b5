import { createHash } from 'node:crypto';
import { readBlocks, sha256 } from '../files/blocks.ts';
import type { FileSystem } from '../files/FileSystem.ts';

/** What tells whether a file arrived as it is here. */
export interface Fingerprint {
  readonly bytes: number;
  readonly sha256: string;
  /** In hex, of each part: S3 makes its ETag from them. */
  readonly md5s: readonly string[];
  /** The size of all parts but the last. */
  readonly partBytes: number;
  readonly mediaType: string | undefined;
}

/** The SHA-256 of bytes that come in blocks, in hex. */
export async function sha256Of(blocks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = sha256();
  for await (const block of blocks) hash.update(block);
  return hash.digest('hex');
}

const mebibyte = 2 ** 20;
/** S3 takes no more parts than this. */
const maxParts = 10_000;

/** Reads a file once. `partBytes`: the least size of a part, which grows for files of more than 10,000 parts. */
export async function fingerprint(
  path: string,
  fileSystem: FileSystem,
  {
    partBytes: least,
    mediaType,
    signal,
  }: { readonly partBytes: number; readonly mediaType?: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Fingerprint> {
  const file = fileSystem.open(path, 'r');
  try {
    const bytes = file.size();
    const partBytes = bytes <= least * maxParts ? least : Math.ceil(bytes / maxParts / mebibyte) * mebibyte;
    const whole = sha256();
    const md5s: string[] = [];
    let part = createHash('md5');
    let left = partBytes;
    for await (const block of readBlocks(file, bytes)) {
      signal?.throwIfAborted();
      whole.update(block);
      for (let rest = block; rest.length > 0;) {
        part.update(rest.subarray(0, left));
        const taken = Math.min(left, rest.length);
        rest = rest.subarray(taken);
        left -= taken;
        if (left > 0) continue;
        md5s.push(part.digest('hex'));
        part = createHash('md5');
        left = partBytes;
      }
    }
    if (bytes === 0 || left < partBytes) md5s.push(part.digest('hex'));
    return { bytes, sha256: whole.digest('hex'), md5s, partBytes, mediaType };
  } finally {
    file.close();
  }
}
