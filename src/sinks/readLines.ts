import type { OpenFile } from './FileSystem.ts';

/** The lines of the first `size` bytes of a file, in batches of about a megabyte. */
export async function* readLines(file: OpenFile, size: number): AsyncGenerator<readonly string[]> {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let rest: Uint8Array[] = [];
  for (let at = 0; at < size;) {
    const read = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (read === 0) throw new Error(`the file ended at ${at} of ${size} bytes`);
    at += read;
    const end = buffer.lastIndexOf(0x0a, read - 1) + 1; // never inside a character
    if (end > 0) {
      yield Buffer.concat([...rest, buffer.subarray(0, end - 1)])
        .toString('utf8')
        .split('\n');
      rest = [];
    }
    rest.push(Buffer.from(buffer.subarray(end, read)));
  }
}
