import type { TableOptions } from '../TableOptions.ts';

const maxPaths = 1000;

/** Keeps fields without a column: in the `_extra` column, or as counts for the report. */
export class Unlisted {
  readonly #counts = new Map<string, number>();
  readonly #extra: boolean;
  readonly #onUnlisted: ((path: string) => void) | undefined;
  #row = new Map<string, unknown>();

  constructor(options: TableOptions) {
    this.#extra = options.extra ?? false;
    this.#onUnlisted = options.onUnlisted;
  }

  add(path: string, value: unknown): void {
    if (this.#extra) {
      let name = path;
      for (let count = 2; this.#row.has(name); count += 1) name = `${path}_${count}`; // a key with dots may look like another path
      this.#row.set(name, value);
      return;
    }
    const before = this.#counts.get(path);
    const name = before === undefined && this.#counts.size >= maxPaths ? '…' : path; // keys may be ids, without end
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (before === undefined && name === path) this.#onUnlisted?.(path);
  }

  /** The content of `_extra` for the last row read. undefined if there is none. */
  takeExtra(): object | undefined {
    if (this.#row.size === 0) return undefined;
    const fields: object = Object.fromEntries(this.#row);
    this.#row.clear();
    return fields;
  }

  /** undefined if every field had a column. */
  get counts(): { readonly [path: string]: number } | undefined {
    return this.#counts.size === 0 ? undefined : Object.fromEntries(this.#counts);
  }
}
