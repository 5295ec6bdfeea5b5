import { LazyRow } from '../../../operators/LazyRow.ts';

/** A row as another process sent it, with the places of the fields that are read here. */
export class SentRow extends LazyRow {
  readonly bytes: Buffer;
  readonly #names: readonly string[];
  readonly #places: readonly number[];
  readonly #first: number;

  /** `places`, from `first` on, holds where the value of each of the `names` begins and ends. -1: the row doesn't have it. */
  constructor(bytes: Buffer, names: readonly string[], places: readonly number[], first: number) {
    super();
    this.bytes = bytes;
    this.#names = names;
    this.#places = places;
    this.#first = first;
  }

  parse(): object {
    return JSON.parse(this.bytes.toString()) as object;
  }

  text(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index === -1) return this.#textIn(this.parse() as Fields, name);
    const at = this.#first + 2 * index;
    const start = this.#places[at]!;
    return start === -1 ? undefined : this.bytes.toString('utf8', start, this.#places[at + 1]);
  }

  #textIn(row: Fields, name: string): string | undefined {
    return Object.hasOwn(row, name) ? JSON.stringify(row[name]) : undefined;
  }
}

interface Fields {
  readonly [field: string]: unknown;
}
