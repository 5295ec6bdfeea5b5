import { basename } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { decompressed } from '../../sinks/compression.ts';
import { fileKindOf, holdsRows } from '../../sinks/formats/fileFormats.ts';
import type { FileKind, FileSystem, OpenFile } from '../../sinks/index.ts';
import { withFormula } from '../../sinks/table/csvCells.ts';
import { readHeading } from '../../files/CsvReader.ts';
import { jsonFault } from '../../../operators/kit/jsonLocations.ts';
import { decoderOf, decodedText } from './textLines.ts';

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
  return checkHeadings(headingOf(text, delimiterIn(first, kind)!, basename(path)), basename(path)).filter((heading) => heading !== '');
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

function headingOf(text: string, delimiter: string, where: string): readonly string[] {
  try {
    return readHeading(text, delimiter).map(withFormula);
  } catch (error) {
    throw new FlowError(`${where}: isn't CSV: ${messageOf(error)}`);
  }
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
