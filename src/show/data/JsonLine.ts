import { TextSearch, type LinePiece } from './LinePiece.ts';
import { cellOf, parseLine, type SeenRow, type SourceColumn } from './TableSpec.ts';

const [quote, comma, colon] = [34, 44, 58];
const [openObject, closeObject] = [123, 125];

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

  get bytes(): readonly [from: number, to: number] {
    return [this.#piece.start + this.#start, this.#piece.start + this.#end];
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
    return this.#piece.cell(at);
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
      return this.#piece.afterSpace(found + key.length + 1);
    return this.#walk(open, key);
  }

  /** The same, from key to key. */
  #walk(open: number, wanted: KeySearch): number | null | undefined {
    const { text } = this.#piece;
    let at = this.#piece.afterSpace(open + 1);
    while (text.charCodeAt(at) === quote) {
      const end = this.#piece.textEnd(at);
      const middle = this.#piece.afterSpace(end);
      if (text.charCodeAt(middle) !== colon) return undefined;
      const value = this.#piece.afterSpace(middle + 1);
      if (end === at + wanted.length && text.startsWith(wanted.text, at)) return value;
      const after = this.#piece.valueEnd(value);
      if (after > this.#end) return undefined;
      at = this.#piece.afterSpace(after);
      if (text.charCodeAt(at) === comma) at = this.#piece.afterSpace(at + 1);
    }
    return text.charCodeAt(at) === closeObject ? null : undefined;
  }
}

/** A text as JSON has it, of one character per byte. */
export function jsonBytes(text: string): string {
  return Buffer.from(JSON.stringify(text)).toString('latin1');
}

/** Searches for a key with its quotes, as it stands in the bytes of a line. */
class KeySearch extends TextSearch {
  readonly opens = new TextSearch('{');
  readonly closes = new TextSearch('}');
  readonly #rest: string;

  constructor(key: string) {
    super(jsonBytes(key));
    this.#rest = this.text.slice(1);
  }

  /** By what follows the first quote: quotes are everywhere. */
  protected override find({ text }: LinePiece, from: number): number {
    let at = text.indexOf(this.#rest, from + 1);
    while (at >= 0 && text.charCodeAt(at - 1) !== quote) at = text.indexOf(this.#rest, at + 1);
    return at - 1;
  }
}

/** Whether its keys are written in one way, and only its name may be a key besides. */
export function hasPlainKeys({ name, keys }: SourceColumn): boolean {
  return !name.includes('/') && name === keys.join('.');
}

interface ColumnSearches {
  readonly keys: readonly KeySearch[];
  /** The name as one key, which a row may have instead. */
  readonly whole: KeySearch | undefined;
}

const known = new WeakMap<SourceColumn, ColumnSearches | undefined>();

function searchesOf(column: SourceColumn): ColumnSearches | undefined {
  if (known.has(column)) return known.get(column);
  const { name, keys } = column;
  const whole = keys.length > 1 ? new KeySearch(name) : undefined;
  const found = hasPlainKeys(column) ? { keys: keys.map((key) => new KeySearch(key)), whole } : undefined;
  known.set(column, found);
  return found;
}
