import type { ByteBuffer } from '../files/ByteBuffer.ts';
import type { Remarks } from './FileReport.ts';

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
  remarks?(): Remarks;
}
