import { LazyRow } from '../../operators/LazyRow.ts';
import { SinkError } from '../errors/index.ts';
import type { RowEncoder } from './FileReport.ts';
import { jsonText } from './table/jsonText.ts';

/** One row a line, as `JSON.stringify` writes it. Half a surrogate pair becomes an escape, so nothing is lost in UTF-8. */
export function jsonlEncoder(): RowEncoder {
  return {
    encode(row, into) {
      if (row instanceof LazyRow) return into.addLine(row.bytes);
      const text = jsonText(row);
      if (text === undefined) throw new SinkError(`a row is ${typeof row}, which JSON can't hold; give rows that are objects`);
      into.addText(`${text}\n`);
    },
  };
}
