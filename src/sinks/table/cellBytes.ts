import { oddCharacters } from './csvCell.ts';
import type { CsvCells } from './csvCells.ts';

/** What a byte means for the text it is in: it can be copied, copied between quotes, or the cell has to be made from the value. */
export const copied = 0;
export const quoted = 1;
export const parsed = 2;

/** The meaning of each byte: anywhere in a text, as its first one, as its last one. */
export interface CellBytes {
  readonly anywhere: Uint8Array;
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));

/** Finds what bytes mean by writing cells with each character. So the rules stand in `CsvCells` only. */
export function cellBytes(cells: CsvCells): CellBytes {
  const filler = 'x'.repeat(cells.nothing.length + 1); // so that no sample reads as null. Neither x nor - can be the delimiter
  const meaningOf = (text: string): number => {
    const cell = cells.cell(text, false);
    return cell === text ? copied : cell === cells.quote + text + cells.quote ? quoted : parsed;
  };
  const bytes = { anywhere: new Uint8Array(256), first: new Uint8Array(256), last: new Uint8Array(256) };
  const mark = (meanings: Uint8Array, byte: number, meaning: number): void => {
    meanings[byte] = Math.max(meanings[byte]!, meaning);
  };
  for (const character of [...ascii, ...oddCharacters, cells.delimiter]) {
    const own = Buffer.from(character);
    // one byte of several doesn't say which character it is
    const cautious = (meaning: number): number => (own.length > 1 && meaning !== copied ? parsed : meaning);
    mark(bytes.anywhere, own[0]!, cautious(meaningOf(filler + character + filler)));
    for (const next of [filler, `-${filler}`]) mark(bytes.first, own[0]!, cautious(meaningOf(character + next)));
    mark(bytes.last, own.at(-1)!, cautious(meaningOf(filler + character)));
  }
  bytes.anywhere[0x5c] = parsed; // an escape of JSON
  return bytes;
}
