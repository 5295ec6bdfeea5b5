import { hash } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** SHA-1, as WARC tools expect. By way of text, because a buffer made by `hash` has memory of its own, which costs more than the hash. */
export function sha1(bytes: Buffer | string): Buffer {
  return Buffer.from(sha1Hex(bytes), 'hex');
}

/** The same as 40 hexadecimal digits. */
export function sha1Hex(bytes: Buffer | string): string {
  return hash('sha1', bytes, 'hex');
}

/** A SHA-1 as WARC files write it: `sha1:` and 32 letters. */
export function digestText(digest: Buffer): string {
  let text = 'sha1:';
  let bits = 0;
  let held = 0;
  for (const byte of digest) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >>> bits) & 31];
    }
  }
  return text;
}

/** The SHA-1 in such a text. undefined if it isn't one. */
export function parseDigest(text: string | undefined): Buffer | undefined {
  if (text === undefined || !/^sha1:[A-Z2-7]{32}$/.test(text)) return undefined;
  const digest = Buffer.alloc(20);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of text.slice(5)) {
    held = ((held << 5) | alphabet.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    digest[at++] = (held >>> bits) & 0xff;
  }
  return digest;
}
