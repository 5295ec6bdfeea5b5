/** A row as unparsed bytes, the same bytes that `JSON.stringify` would write. */
export abstract class LazyRow {
  abstract readonly bytes: Uint8Array;
  /** The row as an object. */
  abstract parse(): object;
  /** One of the row's own fields, or undefined if it has none of that name. */
  field(name: string): unknown {
    const text = this.text(name);
    return text === undefined ? undefined : JSON.parse(text);
  }
  /** The JSON text of such a field. */
  abstract text(name: string): string | undefined;
  /** Whether such a field holds something: neither null nor ''. */
  isFilled(name: string): boolean {
    const text = this.text(name);
    return text !== undefined && text !== 'null' && text !== '""';
  }
}
