import type { ByteBuffer } from './ByteBuffer.ts';
import type { FileReport } from './FileReport.ts';

/** Turns rows into the bytes of a file, one after the other. A row that can't be encoded throws and adds nothing. */
export interface RowEncoder {
  encode(row: unknown, into: ByteBuffer): void;
  /** Looks at a row before the file begins; true while it wants to see more rows first. @default one row is enough */
  wait?(row: unknown): boolean;
  /** What the file begins with (a heading). `rows` come next; `ended`: they are all there are, perhaps none. */
  begin?(rows: readonly unknown[], into: ByteBuffer, ended: boolean): void;
  /** Called instead of `begin` when the file has rows already: throws a SinkError when they are of another kind. */
  goOn?(row: unknown, head: string): void;
  /** What the report says beyond the counts. */
  remarks?(): Pick<FileReport, 'unlisted' | 'replaced'>;
}
