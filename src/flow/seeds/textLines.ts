import { FlowError } from '../../errors/index.ts';

export interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/**
 * The lines of a text in UTF-8, or in UTF-16 if it starts with a byte order mark. Any other encoding throws a FlowError with
 * the line, because a guess would send wrong queries. So does a line of more than `maxBytes`.
 */
export async function* textLines(
  content: AsyncIterable<Buffer | string>,
  name: string,
  maxBytes: number = Infinity,
): AsyncGenerator<TextLine, void, undefined> {
  let number = 0;
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  let decode: ((bytes: Uint8Array) => Uint8Array) | undefined;
  const line = (bytes: Uint8Array): TextLine => {
    number += 1;
    const text = decodedText(bytes, `${name}:${number}`);
    return { number, text: number === 1 ? text.replace(/^\uFEFF/, '') : text };
  };
  for await (const chunk of content) {
    const raw = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    decode ??= decoderOf(raw);
    const bytes = decode(raw);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      yield line(rest.length === 0 ? bytes.subarray(start, end + 1) : Buffer.concat([...rest, bytes.subarray(start, end + 1)]));
      [rest, restBytes] = [[], 0];
      start = end + 1;
    }
    if (start === bytes.length) continue;
    rest.push(bytes.subarray(start));
    restBytes += bytes.length - start;
    if (restBytes > maxBytes) throw new FlowError(`${name}:${number + 1}: the line is longer than ${maxBytes / 2 ** 20} MiB`);
  }
  if (rest.length > 0) yield line(Buffer.concat(rest));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a line. Throws a FlowError if it isn't UTF-8. */
export function decodedText(bytes: Uint8Array, where: string): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new FlowError(`${where}: isn't UTF-8; save the file as UTF-8 (it may be in Latin-1 or Windows-1252)`, { cause });
  }
  if (text.includes('\0')) throw new FlowError(`${where}: contains a NUL character; save the file as UTF-8 (it may be in UTF-16)`);
  return text;
}

/** Converts UTF-16 to UTF-8. Leaves everything else unchanged. */
export function decoderOf(start: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
  if (encoding === undefined) return (bytes) => bytes;
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
}
