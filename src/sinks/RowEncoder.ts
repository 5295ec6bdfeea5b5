import type { ByteBuffer } from './ByteBuffer.ts';
import type { FileReport } from './FileReport.ts';

/** Turns rows into the bytes of a file, one at a time. A row that can't be encoded throws and adds nothing. */
export interface RowEncoder {
  encode(row: unknown, into: ByteBuffer): void;
  /** Sees a row before the file begins. true if it needs to see more rows first. @default one row is enough */
  wait?(row: unknown): boolean;
  /** Writes the head of the file, such as a heading. `rows` come next. `ended`: there are no others, perhaps none at all. */
  begin?(rows: readonly unknown[], into: ByteBuffer, ended: boolean): void;
  /** Called instead of `begin` if the file already has rows. Throws a SinkError if they are of another kind. */
  goOn?(row: unknown, head: string): void;
  /** Report fields besides the counts. */
  remarks?(): Pick<FileReport, 'unlisted' | 'replaced'>;
}

/** Passes rows to an encoder. The first rows wait until the encoder knows the head of the file. */
export class HeldRows {
  readonly #encoder: RowEncoder;
  readonly #add: (rows: number, encode: (into: ByteBuffer) => void) => void;
  #held: unknown[] = [];
  #begun = false;

  /** `add` takes the bytes of this many rows. 0 rows: a heading. */
  constructor(encoder: RowEncoder, add: (rows: number, encode: (into: ByteBuffer) => void) => void) {
    this.#encoder = encoder;
    this.#add = add;
  }

  get count(): number {
    return this.#held.length;
  }

  get remarks(): Pick<FileReport, 'unlisted' | 'replaced'> {
    return this.#encoder.remarks?.() ?? {};
  }

  /** The file already has rows and begins with `head`. */
  goOn(row: unknown, head: () => string): void {
    if (this.#begun) return;
    this.#encoder.goOn?.(row, head());
    this.#begun = true;
  }

  write(row: unknown): void {
    if (this.#begun) {
      this.#add(1, (into) => this.#encoder.encode(row, into));
      return;
    }
    const wait = this.#encoder.wait?.(row) === true;
    this.#held.push(row);
    if (!wait) this.begin(false);
  }

  /** Writes the head of the file and the waiting rows. `ended`: no more rows come. */
  begin(ended: boolean, quietly: boolean = false): void {
    if (this.#begun || (!ended && this.#held.length === 0)) return;
    const rows = this.#held;
    this.#held = [];
    this.#begun = true;
    try {
      this.#add(0, (into) => this.#encoder.begin?.(rows, into, ended));
      for (const row of rows) this.#add(1, (into) => this.#encoder.encode(row, into));
    } catch (error) {
      if (!quietly) throw error;
    }
  }
}
