import { basename } from 'node:path';
import { countOf } from '../../../operators/kit/countOf.ts';
import { quoteUnsafeNumbers } from '../../client/response/quoteLongIntegers.ts';
import { FlowError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { decompressStream } from '../../sinks/compression.ts';
import type { CsvDialect } from '../../sinks/formats/FileFormat.ts';
import { fileKindOf, type Compression, type FileKind, type FileSystem, type OpenFile } from '../../sinks/index.ts';
import { withFormula } from '../../sinks/table/csvCells.ts';
import { jsonFault } from '../../../operators/kit/jsonLocations.ts';
import { readBlocks } from '../../files/blocks.ts';
import { checkHeadings, delimiterIn, openSeeds, textLines, type TextLine } from './readHeader.ts';
import { Readable } from 'node:stream';

/** A longer line is some other file, or lacks its line ends. */
const maxLine = 16 * 2 ** 20;
/**
 * The parser reads an open quote again with each part that it gets, so it gets the next lines together: at first this many bytes, then
 * twice as many.
 */
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
    throw new FlowError(`${where}: has ${countOf(cells.length, 'cell')}, where the heading has ${length}`);
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
