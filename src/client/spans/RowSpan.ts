import { LazyRow } from '../../../operators/LazyRow.ts';
import type { KeyNode } from './ScanRule.ts';

const [quote, letterN] = [34, 110]; // of "" and null
const nothing = Buffer.alloc(0);

/** A row as it stands in a body. */
export class RowSpan extends LazyRow {
  readonly #start: number;
  readonly #end: number;
  readonly #body: Buffer;
  readonly #last: KeyNode;
  readonly #values: readonly number[];
  readonly #first: number;

  /** `last` is the row's last key. `values`, from `first` on, holds where the value of each key begins and ends. */
  constructor(body: Buffer, start: number, end: number, last: KeyNode, values: readonly number[], first: number) {
    super();
    this.#start = start;
    this.#end = end;
    this.#body = body;
    this.#last = last;
    this.#values = values;
    this.#first = first;
  }

  /** The bytes from one row to another of the same body, both included. None without rows. */
  static between(first: RowSpan | undefined, last: RowSpan | undefined): Buffer {
    return first === undefined || last === undefined ? nothing : first.#body.subarray(first.#start, last.#end);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  get bytes(): Buffer {
    return this.#body.subarray(this.#start, this.#end);
  }

  /** Where the value of one of its own fields begins and ends, from the start of the row. */
  placeOf(name: string): readonly [start: number, end: number] | undefined {
    const at = this.#at(name);
    return at === undefined ? undefined : [this.#values[at]! - this.#start, this.#values[at + 1]! - this.#start];
  }

  parse(): object {
    return JSON.parse(this.bytes.toString()) as object;
  }

  text(name: string): string | undefined {
    const at = this.#at(name);
    return at === undefined ? undefined : this.#body.toString('utf8', this.#values[at], this.#values[at + 1]);
  }

  override isFilled(name: string): boolean {
    const at = this.#at(name);
    if (at === undefined) return false;
    const start = this.#values[at]!;
    const first = this.#body[start];
    return first !== letterN && !(first === quote && this.#values[at + 1] === start + 2);
  }

  #at(name: string): number | undefined {
    const index = this.#last.indexOf(name);
    return index === -1 ? undefined : this.#first + index * 2;
  }
}
