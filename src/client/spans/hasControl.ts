const space = 32;

/**
 * Whether it contains a byte below 32: white space between values, or a character that JSON doesn't allow in a text. Reads
 * sixteen bytes at once, and looks only at the end at what it found.
 */
export function hasControl(body: Buffer): boolean {
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  let found = 0;
  let at = 0;
  for (; at + 16 <= body.length; at += 16) {
    found |= belowSpace(view.getInt32(at)) | belowSpace(view.getInt32(at + 4));
    found |= belowSpace(view.getInt32(at + 8)) | belowSpace(view.getInt32(at + 12));
  }
  for (; at < body.length; at++) if (body[at]! < space) return true;
  return (found & 0x80808080) !== 0;
}

/** Sets the top bit of a byte below 32, and of no byte if none of the four is. The other bits mean nothing. */
function belowSpace(word: number): number {
  return (word - 0x20202020) & ~word;
}
