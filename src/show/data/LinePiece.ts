import { parseJsonRow } from '../../flow/seeds/readSeeds.ts';
import { cellOf } from './TableSpec.ts';

/** Searches from line to line. What was found is kept, so it never searches through the same bytes again. */
export abstract class LineSearch {
  #piece: LinePiece | undefined;
  #from = 0;
  #at = 0;

  /** The first position at or after `from`. Infinity: there is none. */
  next(piece: LinePiece, from: number): number {
    if (piece !== this.#piece || from < this.#from || from > this.#at) {
      const found = this.find(piece, from);
      [this.#piece, this.#from, this.#at] = [piece, from, found < 0 ? Infinity : found];
    }
    return this.#at;
  }

  /** Less than 0: there is none. */
  protected abstract find(piece: LinePiece, from: number): number;
}

/** Searches for a text. */
export class TextSearch extends LineSearch {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  get length(): number {
    return this.text.length;
  }

  protected find({ text }: LinePiece, from: number): number {
    return text.indexOf(this.text, from);
  }
}

const [tab, space, quote, comma] = [9, 32, 34, 44];
const [openList, backslash, closeList, openObject, closeObject] = [91, 92, 93, 123, 125];

/** Some lines of a file: their bytes, and the same as text of one character per byte, for native searches. */
export class LinePiece {
  readonly file: string;
  readonly bytes: Buffer;
  readonly text: string;
  /** Where it begins in the file. */
  readonly start: number;
  /** Where a character is written as its number. Such a key can't be searched for. */
  readonly escapes = new TextSearch(String.raw`\u`);

  constructor(file: string, bytes: Buffer, start: number) {
    this.file = file;
    this.bytes = bytes;
    this.text = bytes.toString('latin1');
    this.start = start;
  }

  /** The value at a position as a cell. undefined: it takes a parser to tell. */
  cell(at: number): string | null | undefined {
    const end = this.valueEnd(at);
    const isText = this.text.charCodeAt(at) === quote;
    const plain = isText ? this.bytes.toString('utf8', at + 1, end - 1) : this.text.slice(at, end);
    if (plain.includes('\n')) return undefined; // the line ended before it
    if (isText ? !plain.includes('\\') : /^(?:true|false|0|[1-9]\d{0,14})$/.test(plain)) return plain;
    if (plain === 'null' && !isText) return null;
    try {
      return cellOf(parseJsonRow(`{"value":${this.bytes.toString('utf8', at, end)}}`, ''), { name: 'value', keys: ['value'] });
    } catch {
      return undefined;
    }
  }

  valueEnd(start: number): number {
    const { text } = this;
    if (text.charCodeAt(start) === quote) return this.textEnd(start);
    let [at, depth] = [start, 0];
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote) at = this.textEnd(at) - 1;
      else if (code === openObject || code === openList) depth += 1;
      else if (code === closeObject || code === closeList) {
        if (--depth <= 0) return depth === 0 ? at + 1 : at;
      } else if (depth === 0 && (code === comma || code <= space)) return at;
    }
    return at;
  }

  /** The position after the text whose quote is at `start`. */
  textEnd(start: number): number {
    const { text } = this;
    for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
      let before = end - 1;
      while (text.charCodeAt(before) === backslash) before -= 1;
      if ((end - before) % 2 === 1) return end + 1;
    }
    return text.length;
  }

  /** The first position that isn't white space. */
  afterSpace(start: number): number {
    const { text } = this;
    let at = start;
    for (let code = text.charCodeAt(at); code === space || (code >= tab && code <= 13); code = text.charCodeAt(at)) at += 1;
    return at;
  }
}
