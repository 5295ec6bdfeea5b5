import { parseJsonRow } from '../../flow/seeds/readSeeds.ts';
import { cellOf, parseLine, type SeenRow, type SourceColumn } from './TableSpec.ts';

/** Searches for a text from line to line. What was found is kept, so it never searches through the same bytes again. */
class TextSearch {
  readonly text: string;
  #piece: LinePiece | undefined;
  #from = 0;
  #at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get length(): number {
    return this.text.length;
  }

  /** The first place at or after `from`. Infinity: there is none. */
  next(piece: LinePiece, from: number): number {
    if (piece !== this.#piece || from < this.#from || from > this.#at) {
      const found = this.find(piece.text, from);
      [this.#piece, this.#from, this.#at] = [piece, from, found < 0 ? Infinity : found];
    }
    return this.#at;
  }

  protected find(text: string, from: number): number {
    return text.indexOf(this.text, from);
  }
}

/** Some lines of a file: their bytes, and the same as text of one character per byte, for native searches. */
export class LinePiece {
  readonly file: string;
  readonly bytes: Buffer;
  readonly text: string;
  /** Where a character is written as its number. Such a key can't be searched for. */
  readonly escapes = new TextSearch(String.raw`\u`);

  constructor(file: string, bytes: Buffer) {
    this.file = file;
    this.bytes = bytes;
    this.text = bytes.toString('latin1');
  }
}

const [tab, space, quote, comma, colon] = [9, 32, 34, 44, 58];
const [openList, backslash, closeList, openObject, closeObject] = [91, 92, 93, 123, 125];

/** A row of a file of JSONL. A cell is read without the rest of the line, where its bytes leave no doubt. */
export class JsonLine implements SeenRow {
  readonly n: number;
  readonly #piece: LinePiece;
  readonly #start: number;
  readonly #end: number;
  #row: object | undefined;

  constructor(n: number, piece: LinePiece, start: number, end: number) {
    this.n = n;
    this.#piece = piece;
    this.#start = start;
    this.#end = end;
  }

  row(): object {
    this.#row ??= parseLine(this.#piece.bytes.subarray(this.#start, this.#end), this.#piece.file, this.n);
    return this.#row;
  }

  cell(column: SourceColumn): string | null {
    const isParsed = this.#row !== undefined || this.#piece.escapes.next(this.#piece, this.#start) < this.#end;
    const cell = isParsed ? undefined : this.#read(searchesOf(column));
    return cell === undefined ? cellOf(this.row(), column) : cell;
  }

  /** undefined: it takes a parser to tell. */
  #read(searches: ColumnSearches | undefined): string | null | undefined {
    if (searches === undefined) return undefined;
    const { keys, whole } = searches;
    const { text } = this.#piece;
    if (whole !== undefined && whole.next(this.#piece, this.#start) < this.#end) return undefined;
    let at = this.#start;
    for (const key of keys) {
      if (text.charCodeAt(at) !== openObject) return at === this.#start ? undefined : null;
      const found = this.#member(at, key);
      if (typeof found !== 'number') return found;
      at = found;
    }
    return this.#value(at);
  }

  /** Where the value of a key of the object at `open` is. null: it has none. */
  #member(open: number, key: KeySearch): number | null | undefined {
    const { text } = this.#piece;
    const found = key.next(this.#piece, open);
    if (found >= this.#end) return null;
    // Nothing between could be another object, nor the end of this one, so it is a key of this one.
    const isNear = found < key.opens.next(this.#piece, open + 1) && (open === this.#start || found < key.closes.next(this.#piece, open));
    const before = text.charCodeAt(found - 1);
    if (isNear && (before === comma || before === openObject) && text.charCodeAt(found + key.length) === colon)
      return this.#afterSpace(found + key.length + 1);
    return this.#walk(open, key);
  }

  /** The same, from key to key. */
  #walk(open: number, wanted: KeySearch): number | null | undefined {
    const { text } = this.#piece;
    let at = this.#afterSpace(open + 1);
    while (text.charCodeAt(at) === quote) {
      const end = this.#textEnd(at);
      const middle = this.#afterSpace(end);
      if (text.charCodeAt(middle) !== colon) return undefined;
      const value = this.#afterSpace(middle + 1);
      if (end === at + wanted.length && text.startsWith(wanted.text, at)) return value;
      at = this.#afterSpace(this.#valueEnd(value));
      if (text.charCodeAt(at) === comma) at = this.#afterSpace(at + 1);
    }
    return text.charCodeAt(at) === closeObject ? null : undefined;
  }

  #value(at: number): string | null | undefined {
    const { bytes, text } = this.#piece;
    const end = this.#valueEnd(at);
    if (end > this.#end) return undefined;
    const isText = text.charCodeAt(at) === quote;
    const plain = isText ? bytes.toString('utf8', at + 1, end - 1) : text.slice(at, end);
    if (isText ? !plain.includes('\\') : /^(?:true|false|0|[1-9]\d{0,14})$/.test(plain)) return plain;
    if (plain === 'null' && !isText) return null;
    try {
      return cellOf(parseJsonRow(`{"value":${bytes.toString('utf8', at, end)}}`, ''), { name: 'value', keys: ['value'] });
    } catch {
      return undefined;
    }
  }

  #valueEnd(start: number): number {
    const { text } = this.#piece;
    if (text.charCodeAt(start) === quote) return this.#textEnd(start);
    let [at, depth] = [start, 0];
    for (; at < this.#end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) at = this.#textEnd(at) - 1;
      else if (code === openObject || code === openList) depth += 1;
      else if (code === closeObject || code === closeList) {
        if (--depth <= 0) return depth === 0 ? at + 1 : at;
      } else if (depth === 0 && (code === comma || code <= space)) return at;
    }
    return at;
  }

  /** The place after the text whose quote is at `start`. */
  #textEnd(start: number): number {
    const { text } = this.#piece;
    for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
      let before = end - 1;
      while (text.charCodeAt(before) === backslash) before -= 1;
      if ((end - before) % 2 === 1) return end + 1;
    }
    return text.length;
  }

  /** The first place that isn't white space. */
  #afterSpace(start: number): number {
    const { text } = this.#piece;
    let at = start;
    for (let code = text.charCodeAt(at); code === space || (code >= tab && code <= 13); code = text.charCodeAt(at)) at += 1;
    return at;
  }
}

/** Searches for a key with its quotes, as it stands in the bytes of a line. */
class KeySearch extends TextSearch {
  readonly opens = new TextSearch('{');
  readonly closes = new TextSearch('}');
  readonly #rest: string;

  constructor(key: string) {
    super(Buffer.from(JSON.stringify(key)).toString('latin1'));
    this.#rest = this.text.slice(1);
  }

  /** By what follows the first quote: quotes are everywhere. */
  protected override find(text: string, from: number): number {
    let at = text.indexOf(this.#rest, from + 1);
    while (at >= 0 && text.charCodeAt(at - 1) !== quote) at = text.indexOf(this.#rest, at + 1);
    return at - 1;
  }
}

interface ColumnSearches {
  readonly keys: readonly KeySearch[];
  /** The name as one key, which a row may have instead. */
  readonly whole: KeySearch | undefined;
}

const known = new WeakMap<SourceColumn, ColumnSearches | undefined>();

/** undefined: its keys may be written in two ways, or a row may have its name as a key besides. */
function searchesOf(column: SourceColumn): ColumnSearches | undefined {
  if (known.has(column)) return known.get(column);
  const { name, keys } = column;
  const whole = keys.length > 1 ? new KeySearch(name) : undefined;
  const found = name.includes('/') || name !== keys.join('.') ? undefined : { keys: keys.map((key) => new KeySearch(key)), whole };
  known.set(column, found);
  return found;
}
