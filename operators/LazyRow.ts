/** A row as the bytes it came in, which nobody has parsed. The bytes are those that `JSON.stringify` would write. */
export abstract class LazyRow {
  abstract readonly bytes: Uint8Array;
  /** The row as an object. */
  abstract parse(): object;
  /** One of the row's own fields; undefined where it has none of that name. */
  abstract field(name: string): unknown;
}
