import { basename } from 'node:path';
import { quoteUnsafeNumbers } from '../../client/response/quoteLongIntegers.ts';
import { FlowError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { decompressStream, decompressed } from '../../sinks/compression.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import type { Compression, FileKind, FileSystem, OpenFile } from '../../sinks/index.ts';
import { withFormula, readHeading } from '../../sinks/table/csvCells.ts';
import { jsonFault } from '../check/jsonLocations.ts';
import { readBlocks } from '../../files/blocks.ts';
import { Readable } from 'node:stream';
import { fileKindOf, holdsRows } from '../../sinks/formats/fileFormats.ts';

/** A longer line is some other file, or lacks its line ends. */
const maxLine = 16 * 2 ** 20;
/** The parser reads an open quote again with each part that it gets, so it gets the next lines together: at first so many bytes, then twice as many. */
const firstPart = 64 * 2 ** 10;

/**
 * Reads the rows of a seed file one at a time, so memory stays flat. `.csv` and `.tsv` have a heading. `.jsonl`
 * and `.ndjson` have one object per line. Each may be compressed. `-` is standard input, whose first line decides the format.
 * Unreadable text throws a FlowError with its line. It quotes nothing of the file, which may not be meant to be read.
 */
export async function* readSeeds(
  path: string,
  fileSystem: FileSystem,
  stdin: NodeJS.ReadableStream = process.stdin,
): AsyncGenerator<object, void, undefined> {
  const name = path === '-' ? 'standard input' : basename(path);
  const kind = fileKindOf(path);
  let file: OpenFile | undefined;
  try {
    if (path !== '-') file = openSeeds(path, fileSystem);
    const content = file === undefined ? (stdin as AsyncIterable<Buffer | string>) : plainContent(file, kind?.compression);
    const { first, lines } = await withFirst(textLines(content, name, maxLine));
    yield* rowsOfLines(lines, dialectIn(first, kind), name);
  } catch (error) {
    if (error instanceof FlowError) throw error;
    throw new FlowError(`${name}: can't be read as seeds: ${messageOf(error)}`, { cause: error });
  } finally {
    file?.close();
  }
}

/** How a file of seeds is to be read. undefined: its lines are JSON. */
function dialectIn(first: string, kind: FileKind | undefined): CsvDialect | undefined {
  const delimiter = delimiterIn(first, kind);
  return delimiter === undefined ? undefined : { delimiter, quote: '"', null: '', escaped: true };
}

/** The rows of a text, one at a time. Without a `dialect`, its lines are JSON. */
export function rowsOfText(
  content: AsyncIterable<Buffer | string>,
  dialect: CsvDialect | undefined,
  name: string,
): AsyncGenerator<object, void, undefined> {
  return rowsOfLines(textLines(content, name), dialect, name);
}

function rowsOfLines(
  lines: AsyncIterable<TextLine>,
  dialect: CsvDialect | undefined,
  name: string,
): AsyncGenerator<object, void, undefined> {
  return dialect === undefined ? jsonRows(lines, name) : tableRows(lines, dialect, name);
}

async function* tableRows(lines: AsyncIterable<TextLine>, dialect: CsvDialect, name: string): AsyncGenerator<object, void, undefined> {
  const { parse } = await import('fast-csv'); // most flows have no table of seeds
  const { delimiter, quote, null: nothing, escaped } = dialect;
  const parser = parse({ headers: false, delimiter, quote, escape: quote });
  const plainOf = (cell: string): string => (cell === nothing ? '' : escaped ? withFormula(cell) : cell);
  parser.on('error', () => undefined); // told by `pass`
  let headings: readonly string[] | undefined;
  /** Where the next row begins. */
  let at = 1;
  const pass = (text: string | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (error?: Error | null): void => {
        if (error) reject(new FlowError(`${name}:${at}: isn't CSV: ${csvFault(error)}`));
        else resolve();
      };
      if (text === undefined) parser.end(done).once('error', done);
      else parser.write(text, done);
    });
  const parsed: string[][] = [];
  const take = (): void => {
    for (let cells = parser.read() as string[] | null; cells !== null; cells = parser.read() as string[] | null) parsed.push(cells);
  };
  parser.on('readable', take); // it takes no more while many rows wait
  const rows = function* (): Generator<object, void, undefined> {
    take();
    for (const cells of parsed.splice(0)) {
      const where = `${name}:${at}`;
      at += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
      if (cells.length === 0) continue; // a blank line
      const plain = cells.map(plainOf);
      if (headings === undefined) headings = checkHeadings(plain, where);
      else yield rowOf(headings, plain, where);
    }
  };
  /** The parser loses a blank cell at the start of a row, but not a quoted one. */
  const keptBlank = (text: string): string => {
    const end = text.indexOf(delimiter);
    const isBlank = end > 0 && text.slice(0, end).trim() === '';
    return isBlank ? `${quote}${text.slice(0, end)}${quote}${text.slice(end)}` : text;
  };
  let waiting = '';
  let quotes = 0;
  let part = firstPart;
  for await (const { text, number } of lines) {
    waiting += waiting === '' && number === at ? keptBlank(text) : text;
    quotes += text.split('"').length - 1;
    if (quotes % 2 === 1 && waiting.length < part) continue; // a quote may be open
    part = quotes % 2 === 1 ? part * 2 : firstPart;
    await pass(waiting);
    waiting = '';
    yield* rows();
  }
  if (waiting !== '') await pass(waiting);
  yield* rows();
  await pass(undefined);
  yield* rows();
}

/** The parser's own message quotes the row. */
function csvFault({ message }: Error): string {
  return message.includes('missing closing') ? 'a quote is never closed' : 'text follows a closing quote';
}

/** A column without a heading is left out, such as the index that pandas writes: no path can name it. */
function rowOf(headings: readonly string[], cells: readonly string[], where: string): object {
  const { length } = headings;
  if (cells.length < length || (cells.length > length && cells.slice(length).some((cell) => cell !== '')))
    throw new FlowError(`${where}: has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, where the heading has ${length}`);
  const fields: [string, string][] = [];
  for (const [index, heading] of headings.entries()) if (heading !== '') fields.push([heading, cells[index]!]);
  return Object.fromEntries(fields);
}

async function* jsonRows(lines: AsyncIterable<TextLine>, name: string): AsyncGenerator<object, void, undefined> {
  for await (const { text, number } of lines) if (text.trim() !== '') yield parseJsonRow(text, `${name}:${number}`);
}

/** Numbers that JavaScript can't hold, such as long ids, are text. */
export function parseJsonRow(text: string, where: string): object {
  let row: unknown;
  try {
    row = JSON.parse(quoteUnsafeNumbers(text));
  } catch (error) {
    throw new FlowError(`${where}: isn't JSON: ${jsonFault(error)}`);
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw new FlowError(`${where}: a seed is an object, such as {"city": "Oslo"}`);
  return row;
}

/** The content of a file, decompressed. */
export function plainContent(file: Pick<OpenFile, 'read' | 'size'>, compression: Compression | undefined): AsyncIterable<Buffer | string> {
  const blocks = readBlocks(file);
  return compression === undefined ? blocks : decompressStream(Readable.from(blocks, { objectMode: false }), compression);
}

/** All lines, and the text of the first that isn't blank. */
async function withFirst(
  lines: AsyncGenerator<TextLine, void, undefined>,
): Promise<{ readonly lines: AsyncIterable<TextLine>; readonly first: string }> {
  const read: TextLine[] = [];
  do {
    const next = await lines.next();
    if (next.done === true) break;
    read.push(next.value);
  } while (read.at(-1)!.text.trim() === '');
  const all = async function* (): AsyncGenerator<TextLine, void, undefined> {
    yield* read;
    yield* lines;
  };
  return { lines: all(), first: read.at(-1)?.text ?? '' };
}

interface TextLine {
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
function delimiterIn(first: string, kind: FileKind | undefined): string | undefined {
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
function checkHeadings(headings: readonly string[], where: string): readonly string[] {
  const seen = new Set<string>();
  const twice = headings.findIndex((heading) => heading !== '' && seen.size === seen.add(heading).size);
  if (twice >= 0) throw new FlowError(`${where}: columns ${headings.indexOf(headings[twice]!) + 1} and ${twice + 1} have the same name`);
  return headings;
}

/**
 * Opens a file of seeds. Throws a FlowError for anything else: opening a named pipe would wait until somebody writes to it.
 * It can also be read only once, but seeds are read for the check of a flow and again for each run.
 */
function openSeeds(path: string, fileSystem: FileSystem): OpenFile {
  const { kind } = fileSystem.stat(path) ?? {};
  if (kind === 'folder') throw new FlowError(`${basename(path)} is a folder`);
  if (kind === 'other')
    throw new FlowError(
      `${basename(path)} is a pipe or a device, and seeds are read more than once. Write '-' and pipe them to standard input, or save them as a file`,
    );
  return fileSystem.open(path, 'r');
}
