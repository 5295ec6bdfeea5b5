import { basename } from 'node:path';
import { nodeFileSystem } from '../../sinks/index.ts';
import type { ShownRow } from '../api.ts';
import { findLines } from './findLines.ts';
import { findRows, keptRows, type FoundRows, type WantedRows } from './findRows.ts';
import type { SortedRow } from './FirstRows.ts';
import { bytesOf } from './lineBlocks.ts';
import { parseLine, shownCells } from './TableSpec.ts';

/** Whole lines of a file of JSONL, from one byte to another. */
export interface LinesPart {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export interface PartRows extends FoundRows {
  /** The bytes and lines of the part that were read so far. */
  readonly bytes: number;
  readonly lines: number;
}

/** Finds rows in a part of a file. Their numbers are counted from its beginning. */
export async function* scanPart({ path, from, to }: LinesPart, wanted: WantedRows): AsyncGenerator<PartRows, void, undefined> {
  const file = nodeFileSystem.open(path, 'r');
  const read = { bytes: 0, lines: 0 };
  const onRead = (bytes: number, lines: number): void => void Object.assign(read, { bytes: read.bytes + bytes, lines });
  const shownRow = ({ n, bytes: [start, end] = [0, 0] }: SortedRow): ShownRow => {
    const line = Buffer.alloc(end - start);
    file.readSync(line, 0, line.length, start);
    return { n, cells: shownCells(parseLine(line, basename(path), n), wanted.columns) };
  };
  try {
    const lines = findLines({ file: basename(path), bytes: bytesOf(file, from, to), from, onRead }, wanted);
    for await (const found of findRows(wanted, lines))
      yield { ...found, shown: [...found.shown, ...found.sorted.slice(0, keptRows).map(shownRow)], ...read };
  } finally {
    file.close();
  }
}
