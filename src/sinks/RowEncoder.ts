import type { ByteBuffer } from '../files/ByteBuffer.ts';
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

/** Where encoded rows go. */
export interface RowTarget {
  /** Takes the bytes of the next rows. */
  readonly fill: ByteBuffer;
  /** `fill` has got this many rows more. */
  added(rows: number): void;
}

/** Passes rows to an encoder. The first rows wait until the encoder knows the head of the file. */
export class HeldRows {
  readonly #encoder: RowEncoder;
  readonly #target: RowTarget;
  #held: unknown[] = [];
  #begun = false;

  constructor(encoder: RowEncoder, target: RowTarget) {
    this.#encoder = encoder;
    this.#target = target;
  }

  /** The head of the file is written, or was there before. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Waiting rows. */
  get count(): number {
    return this.#held.length;
  }

  get remarks(): Pick<FileReport, 'unlisted' | 'replaced'> {
    return this.#encoder.remarks?.() ?? {};
  }

  /** The file already has rows and begins with `head`. */
  goOn(row: unknown, head: string): void {
    this.#encoder.goOn?.(row, head);
    this.#begun = true;
  }

  write(row: unknown): void {
    if (this.#begun) return this.#encode(row);
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
      this.#encoder.begin?.(rows, this.#target.fill, ended);
      for (const row of rows) this.#encode(row);
    } catch (error) {
      if (!quietly) throw error;
    }
  }

  #encode(row: unknown): void {
    this.#encoder.encode(row, this.#target.fill);
    this.#target.added(1);
  }
}
