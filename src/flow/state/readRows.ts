import { fileKindOf, type OpenFile } from '../../sinks/index.ts';
import { dialectOf } from '../../sinks/formats/fileFormats.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { plainContent, rowsOfText } from '../seeds/readSeeds.ts';
import { readBlocks } from '../../files/blocks.ts';
import type { FlowFolder } from './FlowFolder.ts';

export interface StoredRow {
  readonly row: object;
  /** Its line. */
  readonly bytes: Buffer;
  /** Where its line begins. */
  readonly at: number;
}

/** A folder whose files are read: that of a run, or as much of one as a page may see. */
export type ReadFolder = Pick<FlowFolder, 'at' | 'has' | 'fileSystem'>;

const lineFeed = 10;

/** Opens a file in a run's folder under its final or its working name. undefined: there is none. */
export function openRows(folder: ReadFolder, name: string): OpenFile | undefined {
  const file = [name, `${name}.part`].find((one) => folder.has(one));
  return file === undefined ? undefined : folder.fileSystem.open(folder.at(file), 'r');
}

/** Reads the rows of a JSONL file in a run's folder one by one, under its final or its working name. */
export async function* readRows(folder: ReadFolder, name: string): AsyncGenerator<StoredRow, void, undefined> {
  const open = openRows(folder, name);
  if (open === undefined) return;
  try {
    for await (const { bytes, at, whole } of readLines(open)) if (whole) yield { row: JSON.parse(bytes.toString()) as object, bytes, at };
  } finally {
    open.close();
  }
}

/**
 * The rows of a file of text that a stage writes, in whichever format. The end of a compressed file may be missing until it is finished:
 * then the rows that can be read come.
 */
export async function* readTextRows({ written }: FlowStage, folder: ReadFolder, path: string): AsyncGenerator<object, void, undefined> {
  const open = openRows(folder, path);
  if (open === undefined) return;
  const kind = fileKindOf(path)!;
  try {
    yield* rowsOfText(plainContent(open, kind.compression), dialectOf(kind, written.get(path)), path);
  } catch {
    // it is a file of the run's own, so only its end can be missing
  } finally {
    open.close();
  }
}

/** The lines of a file, and where each begins. `whole`: a line feed ends it. `from`: where a line begins. */
export async function* readLines(
  file: OpenFile,
  from: number = 0,
): AsyncGenerator<{ readonly bytes: Buffer; readonly at: number; readonly whole: boolean }, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  let at = from;
  for await (const block of readBlocks(file, Infinity, from)) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      yield { bytes: bytes.subarray(start, end), at: at + start, whole: true };
      start = end + 1;
    }
    at += start;
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield { bytes: rest, at, whole: false };
}

/** Reads lines of a file by where they begin. A line is valid until the next one is read. */
export function lineReader(file: OpenFile): (at: number) => Buffer {
  let block = Buffer.alloc(1 << 12);
  return (at) => {
    for (;;) {
      const end = block.subarray(0, file.readSync(block, 0, block.length, at)).indexOf(lineFeed);
      if (end >= 0) return block.subarray(0, end);
      block = Buffer.alloc(block.length * 4);
    }
  };
}
