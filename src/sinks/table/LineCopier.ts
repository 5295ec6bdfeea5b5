import type { LazyRow, ValuePath, ValueOffsets } from '../../../operators/LazyRow.ts';
import type { ByteBuffer } from '../../files/ByteBuffer.ts';
import { type CsvCells, oddCharacters } from './csvCells.ts';
import type { RowReader, Target } from './RowReader.ts';

/** The table whose lines are written. */
interface CopiedTable {
  readonly reader: RowReader;
  /** Columns where text is written as JSON too. */
  readonly json: readonly boolean[];
  /** The texts of all cells of a row. */
  readonly cellsOf: (row: object) => readonly string[];
  /** Returns the value of `_extra` once the row is read. undefined: there is no such column. */
  readonly takeExtra: (() => unknown) | undefined;
}

const [doubleQuote, letterN] = [34, 110];
const [openList, openObject] = [91, 123];
/** In a text of at least this many bytes, searching for each special character is faster than a loop over the bytes. */
const longText = 128;

/**
 * Writes lazy rows as lines of CSV, the same bytes as from parsed rows. It copies the bytes of numbers, plain text and JSON.
 * Text with an escape, and text that may be a formula or begin with a blank, is parsed.
 */
export class LineCopier {
  readonly #cells: CsvCells;
  readonly #table: CopiedTable;
  readonly #bytes: CellBytes;
  readonly #delimiter: Buffer;
  readonly #eol: Buffer;
  readonly #nothing: Buffer;
  readonly #quote: number;
  /** The characters that have a meaning anywhere in a text. */
  readonly #special: readonly string[];
  /** Where the value of each column begins and ends. 0: there is none. */
  readonly #offsets: Int32Array;
  /** Where the value at each of `#paths` goes. */
  #targets: Target[] = [];
  #paths: readonly ValuePath[] | undefined;

  constructor(cells: CsvCells, table: CopiedTable) {
    this.#cells = cells;
    this.#table = table;
    this.#bytes = cellBytes(cells);
    this.#delimiter = Buffer.from(cells.delimiter);
    this.#eol = Buffer.from(cells.eol);
    this.#nothing = Buffer.from(cells.nothing);
    this.#quote = cells.quote.charCodeAt(0);
    this.#special = [cells.quote, '\\', String.fromCharCode(this.#delimiter[0]!)];
    this.#offsets = new Int32Array(table.json.length * 2);
  }

  /** Writes a row. false: it can't, so the row has to be parsed. */
  write(row: LazyRow, into: ByteBuffer): boolean {
    const { values, kept } = row;
    if (values === undefined) return false;
    const { json, takeExtra, cellsOf } = this.#table;
    const before = kept === undefined ? undefined : cellsOf(kept);
    this.#find(values);
    const extra = takeExtra === undefined ? undefined : this.#cells.cell(takeExtra(), false);
    const known = (before?.join('').length ?? 0) + (extra?.length ?? 0);
    const room = (values.end - values.start) * 2 + known * 3 + json.length * (this.#delimiter.length + this.#nothing.length + 4) + 16;
    const out = into.room(room);
    const offsets = this.#offsets;
    const { body } = values.page;
    let at = into.length;
    for (let column = 0; column < json.length; column++) {
      if (column > 0) at = append(this.#delimiter, out, at);
      const start = offsets[column * 2]!;
      if (start !== 0) at = this.#cell(out, at, body, start, offsets[column * 2 + 1]!, json[column]!);
      else at = before === undefined ? append(this.#nothing, out, at) : at + out.write(before[column]!, at);
    }
    if (extra !== undefined) {
      at = append(this.#delimiter, out, at);
      at += out.write(extra, at);
    }
    into.length = append(this.#eol, out, at);
    return true;
  }

  /** Fills `#offsets`, and passes on fields without a column. */
  #find({ page: { body, offsets, paths }, from, to }: ValueOffsets): void {
    if (paths !== this.#paths) {
      this.#paths = paths;
      this.#targets = [];
    }
    const found = this.#offsets.fill(0);
    for (let at = from; at < to; at += 3) {
      const path = offsets[at]!;
      const { column, unlisted, opens } = (this.#targets[path] ??= this.#table.reader.find(paths[path]!));
      const start = offsets[at + 1]!;
      const end = offsets[at + 2]!;
      const first = body[start];
      if (first === letterN) continue;
      if (column >= 0) {
        found[column * 2] = start;
        found[column * 2 + 1] = end;
      } else if (unlisted !== undefined && !(opens && first === openObject)) {
        this.#table.reader.onUnlisted(unlisted, JSON.parse(body.toString('utf8', start, end)));
      }
    }
  }

  /** Writes a value at `at`. Returns the offset after it. */
  #cell(out: Buffer, at: number, body: Buffer, start: number, end: number, json: boolean): number {
    const first = body[start]!;
    let after: number;
    if (first === openList || first === openObject || (json && first === doubleQuote)) after = this.#json(out, at, body, start, end);
    else if (first === doubleQuote) after = this.#text(out, at, body, start + 1, end - 1);
    else {
      after = at;
      for (let i = start; i < end; i++) out[after++] = body[i]!;
    }
    return after !== -1 ? after : at + out.write(this.#cells.cell(JSON.parse(body.toString('utf8', start, end)), json), at);
  }

  /** Returns the offset after the text. -1: the cell has to be made from the value. */
  #text(out: Buffer, at: number, body: Buffer, start: number, end: number): number {
    const quote = this.#quote;
    const { anywhere, first, last } = this.#bytes;
    let to = at;
    // a text as long as the cell of null may be that cell, so it is parsed
    let seen = first[body[start]!]! | last[body[end - 1]!]! | (end - start === this.#nothing.length ? parsed : copied);
    if (start === end) seen = quoted;
    if (end - start >= longText) {
      const text = body.toString('latin1', start, end);
      for (const special of this.#special) if (text.includes(special)) seen |= anywhere[special.charCodeAt(0)]!;
      to += body.copy(out, at, start, end);
    } else {
      for (let i = start; i < end; i++) {
        const byte = body[i]!;
        seen |= anywhere[byte]!;
        out[to++] = byte;
      }
    }
    if (seen === copied) return to;
    if (seen >= parsed) return -1;
    out.copyWithin(at + 1, at, to);
    out[at] = quote;
    out[to + 1] = quote;
    return to + 2;
  }

  #json(out: Buffer, at: number, body: Buffer, start: number, end: number): number {
    const quote = this.#quote;
    const [delimiter] = this.#delimiter;
    if (this.#delimiter.length > 1 || end - start === this.#nothing.length) return -1;
    let to = at;
    let special = false;
    out[to++] = quote;
    for (let i = start; i < end; i++) {
      const byte = body[i]!;
      if (byte === delimiter) special = true;
      else if (byte === quote) {
        special = true;
        out[to++] = quote;
      }
      out[to++] = byte;
    }
    if (!special) {
      out.copyWithin(at, at + 1, to);
      return to - 1;
    }
    out[to++] = quote;
    return to;
  }
}

function append(bytes: Buffer, out: Buffer, at: number): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i]!;
  return at + bytes.length;
}

/** What a byte says about its text: it can be copied, it can be copied between quotes, or the cell has to be made from the value. */
export const copied = 0;
export const quoted = 1;
export const parsed = 2;

/** The meaning of each byte: anywhere in a text, as its first one, as its last one. */
interface CellBytes {
  readonly anywhere: Uint8Array;
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));

/** Finds what each byte means by writing a cell that has it. So the rules of CSV are in `CsvCells` alone. */
function cellBytes(cells: CsvCells): CellBytes {
  const filler = 'x'.repeat(cells.nothing.length + 1); // longer than the cell of null. Neither x nor - can be the delimiter
  // text with a bracket after a sign is never harmless, so it shows whether the sign begins a formula
  const bracket = ['(', '!', '*'].find((one) => one !== cells.delimiter && one !== cells.quote)!;
  const meaningOf = (text: string): number => {
    const cell = cells.cell(text, false);
    return cell === text ? copied : cell === cells.quote + text + cells.quote ? quoted : parsed;
  };
  const bytes = { anywhere: new Uint8Array(256), first: new Uint8Array(256), last: new Uint8Array(256) };
  const setMeaning = (meanings: Uint8Array, byte: number, meaning: number): void => {
    meanings[byte] = Math.max(meanings[byte]!, meaning);
  };
  for (const character of [...ascii, ...oddCharacters, cells.delimiter]) {
    const own = Buffer.from(character);
    // one byte of several doesn't say which character it is
    const cautious = (meaning: number): number => (own.length > 1 && meaning !== copied ? parsed : meaning);
    setMeaning(bytes.anywhere, own[0]!, cautious(meaningOf(filler + character + filler)));
    for (const next of [filler, `-${filler}${bracket}`]) setMeaning(bytes.first, own[0]!, cautious(meaningOf(character + next)));
    setMeaning(bytes.last, own.at(-1)!, cautious(meaningOf(filler + character)));
  }
  bytes.anywhere[0x5c] = parsed; // an escape of JSON
  return bytes;
}
