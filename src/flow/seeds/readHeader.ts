import { basename } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { decompressed } from '../../sinks/compression.ts';
import { fileKindOf, holdsRows } from '../../sinks/formats/fileFormats.ts';
import type { FileKind, FileSystem, OpenFile } from '../../sinks/index.ts';
import { withFormula } from '../../sinks/table/csvCells.ts';
import { readHeading } from '../../sinks/table/csvCells.ts';
import { jsonFault } from '../../../operators/kit/jsonLocations.ts';

const maxBytes = 1 << 20;

/** The columns of a seed file: its heading, or the fields of its first object. Reads at most 1 MiB. */
export function readHeader(path: string, fileSystem: FileSystem): readonly string[] {
  const bytes = Buffer.alloc(maxBytes);
  const file = openSeeds(path, fileSystem);
  let read: number;
  try {
    read = file.readSync(bytes, 0, maxBytes, 0);
  } finally {
    file.close();
  }
  const kind = fileKindOf(path);
  const plain = decompressed(bytes.subarray(0, read), kind?.compression);
  const all = Buffer.from(decoderOf(plain)(plain));
  // the text after the last whole line may end inside a character
  const whole = read < maxBytes ? all : all.subarray(0, all.lastIndexOf(0x0a) + 1);
  const text = decodedText(whole, basename(path)).replace(/^\uFEFF/, '').replace(/^(?:[ \t]*\r?\n)+/, ''); // prettier-ignore
  const first = text.split('\n', 1)[0]!;
  if (holdsRows(path)) return fieldsOf(first || '{}', basename(path));
  const headings = readHeading(text, delimiterIn(first, kind)!).map(withFormula);
  return checkHeadings(headings, basename(path)).filter((heading) => heading !== '');
}

/**
 * The text between the cells of a file with this first line. undefined: its lines are JSON. Standard input has no `kind`. Excel
 * writes `.csv` with semicolons where the comma stands in numbers. A column whose own name has a semicolon is told by its quotes.
 */
export function delimiterIn(first: string, kind: FileKind | undefined): string | undefined {
  if (kind?.text === true && kind.delimiter !== ',') return kind.delimiter;
  if (kind === undefined && first.trimStart().startsWith('{')) return undefined;
  const heading = first.replaceAll(/"[^"]*(?:"|$)/g, '').split('\r', 1)[0]!;
  if (kind === undefined && heading.includes('\t')) return '\t';
  return heading.includes(';') && !heading.includes(',') ? ';' : ',';
}

function fieldsOf(line: string, where: string): readonly string[] {
  try {
    return Object.keys(JSON.parse(line) as object);
  } catch (error) {
    throw new FlowError(`${where}: isn't JSON: ${jsonFault(error)}`);
  }
}

/** Refuses a heading that occurs twice, because one of the columns would be lost. */
export function checkHeadings(headings: readonly string[], where: string): readonly string[] {
  const seen = new Set<string>();
  const twice = headings.findIndex((heading) => heading !== '' && seen.size === seen.add(heading).size);
  if (twice >= 0) throw new FlowError(`${where}: columns ${headings.indexOf(headings[twice]!) + 1} and ${twice + 1} have the same name`);
  return headings;
}

/**
 * Opens a file of seeds. Throws a FlowError for anything else: opening a named pipe would wait until somebody writes to it.
 * It can also be read only once, but seeds are read for the check of a flow and again for each run.
 */
export function openSeeds(path: string, fileSystem: FileSystem): OpenFile {
  const { kind } = fileSystem.stat(path) ?? {};
  if (kind === 'folder') throw new FlowError(`${basename(path)} is a folder`);
  if (kind === 'other')
    throw new FlowError(
      `${basename(path)} is a pipe or a device, and seeds are read more than once. Write '-' and pipe them to standard input, or save ` +
        `them as a file`,
    );
  return fileSystem.open(path, 'r');
}

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
function decodedText(bytes: Uint8Array, where: string): string {
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
function decoderOf(start: Uint8Array): (bytes: Uint8Array) => Uint8Array {
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf-16le' : start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
  if (encoding === undefined) return (bytes) => bytes;
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => Buffer.from(decoder.decode(bytes, { stream: true }));
}
