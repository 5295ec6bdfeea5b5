import { quickDigest } from '../../../operators/kit/quickDigest.ts';
import { LazyRow, type ValuePath, type ValueOffsets } from '../../../operators/LazyRow.ts';
import { crc32 } from 'node:zlib';

const [quote, letterN, bracket, brace] = [34, 110, 91, 123]; // of "", null, lists and objects

/** The body that holds rows, and where their values are. */
export class SpanPage {
  readonly body: Buffer;
  readonly paths: readonly ValuePath[];
  /** The only fields whose offsets are known. undefined: those of all values are. */
  readonly only: readonly string[] | undefined;
  /** Of its rows, and of other bodies: path, start, end. */
  offsets: Int32Array = new Int32Array(0);

  constructor(body: Buffer, paths: readonly ValuePath[], only: readonly string[] | undefined) {
    this.body = body;
    this.paths = paths;
    this.only = only;
  }
}

/** A row as it stands in a body. */
export class RowSpan extends LazyRow implements ValueOffsets {
  /** Where it begins and ends in the body. */
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  readonly page: SpanPage;
  /** The field whose digest was wanted last, and its digest: a walk and a flow compare rows by the same one. */
  #digested: string | undefined;
  #digest: number | undefined;

  /** Its values are in the page's `offsets`, between `from` and `to`. */
  constructor(page: SpanPage, start: number, end: number, from: number, to: number) {
    super();
    this.page = page;
    this.start = start;
    this.end = end;
    this.from = from;
    this.to = to;
  }

  override get values(): ValueOffsets | undefined {
    return this.page.only === undefined ? this : undefined;
  }

  get bytes(): Buffer {
    return this.page.body.subarray(this.start, this.end);
  }

  override text(name: string): string | undefined {
    if (!this.#knows(name)) return super.text(name);
    const at = this.#at(name);
    const { body, offsets } = this.page;
    return at === undefined ? undefined : body.toString('utf8', offsets[at], offsets[at + 1]);
  }

  override digest(name: string): number | undefined {
    if (name === this.#digested) return this.#digest;
    this.#digested = name;
    const at = this.#at(name);
    if (at !== undefined) return (this.#digest = this.#digestAt(at));
    return (this.#digest = this.#knows(name) ? undefined : super.digest(name));
  }

  override fills(name: string): boolean {
    const at = this.#at(name);
    if (at === undefined) return !this.#knows(name) && super.fills(name);
    const { body, offsets } = this.page;
    const first = body[offsets[at]!];
    return first === bracket || first === brace ? super.fills(name) : !this.#isBlank(at);
  }

  #knows(name: string): boolean {
    const { only } = this.page;
    return only === undefined || only.includes(name);
  }

  #digestAt(at: number): number | undefined {
    const { body, offsets } = this.page;
    return this.#isBlank(at) ? undefined : quickDigest(body, offsets[at], offsets[at + 1]);
  }

  /** Whether a value is null or ''. */
  #isBlank(at: number): boolean {
    const { body, offsets } = this.page;
    const start = offsets[at]!;
    const first = body[start];
    return first === letterN || (first === quote && offsets[at + 1] === start + 2);
  }

  /** Where in `offsets` the value of a field is. */
  #at(name: string): number | undefined {
    const { offsets, paths } = this.page;
    for (let at = this.from; at < this.to; at += 3) {
      const path = paths[offsets[at]!]!;
      if (path.length === 1 && path[0] === name) return at + 1;
    }
    return undefined;
  }
}

/**
 * Identifies the rows of a page by all of them: by their compact JSON text, which is the same whether they stay bytes or
 * are parsed. In a body that isn't compact it differs from the bytes.
 */
export function rowsMark(text: string | Uint8Array, rows: number): number {
  return crc32(text) + (rows % 2 ** 20) * 2 ** 32;
}
