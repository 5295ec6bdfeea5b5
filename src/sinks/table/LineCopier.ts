import type { LazyRow, ValuePath, ValueOffsets } from '../../../operators/LazyRow.ts';
import type { ByteBuffer } from '../ByteBuffer.ts';
import type { RowReader, Target } from './RowReader.ts';

/** What a line of CSV is made with. */
interface LineSettings {
  readonly reader: RowReader;
  /** Columns where text is written as JSON too. */
  readonly json: readonly boolean[];
  readonly delimiter: string;
  readonly quote: string;
  readonly eol: string;
  readonly nothing: string;
  /** The text of a cell. */
  readonly cellOf: (value: unknown, json: boolean) => string;
  /** The texts of all cells of a row. */
  readonly cellsOf: (row: object) => readonly string[];
  /** What goes to `_extra`, once the row is read. undefined: there is no such column. */
  readonly takeExtra: (() => unknown) | undefined;
}

const [space, doubleQuote, backslash, letterN] = [32, 34, 92, 110];
const [openList, openObject] = [91, 123];
/** What a byte can mean: the cell has quotes, or it has to be made from the value. */
const [quotes, parsed] = [1, 2];
/** From this many bytes on, looking for each character in a string is faster than looking at each byte. */
const longText = 128;

/**
 * Writes lazy rows as lines of CSV, the same bytes as from parsed rows. It copies the bytes of numbers, plain text and JSON.
 * Text with an escape, and text that may be a formula or have a blank at an end, is parsed.
 */
export class LineCopier {
  readonly #settings: LineSettings;
  readonly #delimiter: Buffer;
  readonly #eol: Buffer;
  readonly #nothing: Buffer;
  readonly #quote: number;
  /** What each byte of a text means: anywhere, as the first, as the last one. */
  readonly #anywhere = new Uint8Array(256);
  readonly #first = new Uint8Array(256);
  readonly #last = new Uint8Array(256);
  /** The characters that mean something anywhere. */
  readonly #special: readonly string[];
  /** Where the value of each column begins and ends. 0: there is none. */
  readonly #cells: Int32Array;
  /** For the paths of one list, by number. */
  #targets: Target[] = [];
  #paths: readonly ValuePath[] | undefined;

  constructor(settings: LineSettings) {
    const { delimiter, quote, eol, nothing, json } = settings;
    this.#settings = settings;
    this.#delimiter = Buffer.from(delimiter);
    this.#eol = Buffer.from(eol);
    this.#nothing = Buffer.from(nothing);
    this.#quote = quote.charCodeAt(0);
    this.#cells = new Int32Array(json.length * 2);
    const [first] = this.#delimiter;
    this.#anywhere[first!] = this.#delimiter.length === 1 ? quotes : parsed;
    for (const byte of [this.#quote, backslash]) this.#anywhere[byte] = parsed;
    this.#special = [quote, '\\', String.fromCharCode(first!)];
    // Signs of a formula and blanks. Beyond ASCII, these are bytes that some of them begin or end with.
    for (const byte of [space, ...Buffer.from(`'"-=+@`), 0xc2, 0xe1, 0xe2, 0xe3, 0xef]) this.#first[byte] = parsed;
    for (const byte of [space, 0x9f, 0xa0, 0xa8, 0xa9, 0xaf, 0xbf]) this.#last[byte] = parsed;
    this.#last.fill(parsed, 0x80, 0x8b);
  }

  /** false: the row has to be parsed. */
  write(row: LazyRow, into: ByteBuffer): boolean {
    const { values, kept } = row;
    if (values === undefined) return false;
    const { json, takeExtra, cellOf, cellsOf } = this.#settings;
    const before = kept === undefined ? undefined : cellsOf(kept);
    this.#place(values);
    const extra = takeExtra === undefined ? undefined : cellOf(takeExtra(), false);
    const known = (before?.join('').length ?? 0) + (extra?.length ?? 0);
    const room = values.length * 2 + known * 3 + json.length * (this.#delimiter.length + this.#nothing.length + 4) + 16;
    const out = into.room(room);
    const cells = this.#cells;
    const { body } = values;
    let at = into.length;
    for (let column = 0; column < json.length; column++) {
      if (column > 0) at = copied(this.#delimiter, out, at);
      const start = cells[column * 2]!;
      if (start !== 0) at = this.#cell(out, at, body, start, cells[column * 2 + 1]!, json[column]!);
      else at = before === undefined ? copied(this.#nothing, out, at) : at + out.write(before[column]!, at);
    }
    if (extra !== undefined) {
      at = copied(this.#delimiter, out, at);
      at += out.write(extra, at);
    }
    into.length = copied(this.#eol, out, at);
    return true;
  }

  /** Finds the place of each column's value. */
  #place({ body, offsets, paths, from, to }: ValueOffsets): void {
    if (paths !== this.#paths) {
      this.#paths = paths;
      this.#targets = [];
    }
    const cells = this.#cells.fill(0);
    for (let at = from; at < to; at += 3) {
      const path = offsets[at]!;
      const { column, unlisted, opens } = (this.#targets[path] ??= this.#settings.reader.find(paths[path]!));
      const start = offsets[at + 1]!;
      const end = offsets[at + 2]!;
      const first = body[start];
      if (first === letterN) continue;
      if (column >= 0) {
        cells[column * 2] = start;
        cells[column * 2 + 1] = end;
      } else if (unlisted !== undefined && !(opens && first === openObject)) {
        this.#settings.reader.onUnlisted(unlisted, JSON.parse(body.toString('utf8', start, end)));
      }
    }
  }

  /** Writes a value at `at`. Returns the place after it. */
  #cell(out: Buffer, at: number, body: Buffer, start: number, end: number, json: boolean): number {
    const first = body[start]!;
    let after: number;
    if (first === openList || first === openObject || (json && first === doubleQuote)) after = this.#json(out, at, body, start, end);
    else if (first === doubleQuote) after = this.#text(out, at, body, start + 1, end - 1);
    else {
      after = at;
      for (let i = start; i < end; i++) out[after++] = body[i]!;
    }
    return after !== -1 ? after : at + out.write(this.#settings.cellOf(JSON.parse(body.toString('utf8', start, end)), json), at);
  }

  /** -1: it has to be made from the value. */
  #text(out: Buffer, at: number, body: Buffer, start: number, end: number): number {
    const quote = this.#quote;
    const anywhere = this.#anywhere;
    let to = at;
    let seen = this.#first[body[start]!]! | this.#last[body[end - 1]!]! | (this.#isNothing(start, end) ? parsed : 0);
    if (start === end) seen = quotes;
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
    if (seen === 0) return to;
    if (seen >= parsed) return -1;
    out.copyWithin(at + 1, at, to);
    out[at] = quote;
    out[to + 1] = quote;
    return to + 2;
  }

  #json(out: Buffer, at: number, body: Buffer, start: number, end: number): number {
    const quote = this.#quote;
    const [delimiter] = this.#delimiter;
    if (this.#delimiter.length > 1 || this.#isNothing(start, end)) return -1;
    let to = at;
    let quoted = false;
    out[to++] = quote;
    for (let i = start; i < end; i++) {
      const byte = body[i]!;
      if (byte === delimiter) quoted = true;
      else if (byte === quote) {
        quoted = true;
        out[to++] = quote;
      }
      out[to++] = byte;
    }
    if (!quoted) {
      out.copyWithin(at, at + 1, to);
      return to - 1;
    }
    out[to++] = quote;
    return to;
  }

  /** Whether it may read as null. */
  #isNothing(start: number, end: number): boolean {
    return end - start === this.#nothing.length;
  }
}

function copied(bytes: Buffer, out: Buffer, at: number): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i]!;
  return at + bytes.length;
}
