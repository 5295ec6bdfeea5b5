import type { ByteBuffer } from './ByteBuffer.ts';
import type { FileReport } from './FileReport.ts';

/** Turns rows into the bytes of a file, one after the other. A row that can't be encoded throws and adds nothing. */
export interface RowEncoder {
  encode(row: unknown, into: ByteBuffer): void;
  /** What the file begins with (a heading); called once before `encode`, when the file is empty. */
  begin?(row: unknown, into: ByteBuffer): void;
  /** What the file begins with when no row came. */
  beginEmpty?(into: ByteBuffer): void;
  /** Called instead of `begin` when the file has rows already: throws a SinkError when they are of another kind. */
  goOn?(row: unknown, head: string): void;
  /** What the report says beyond the counts. */
  remarks?(): Pick<FileReport, 'unlisted' | 'replaced'>;
}
