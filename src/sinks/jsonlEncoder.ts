import { LazyRow } from '../../operators/LazyRow.ts';
import { SinkError } from '../errors/index.ts';
import type { RowEncoder } from './OutputFile.ts';
import { messageOf } from '../errors/TrawlerError.ts';

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

/** `JSON.stringify` with an error that says what to do. undefined for a value that JSON doesn't have, such as a function. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SinkError(`a row can't be written as JSON (${messageOf(cause).split('\n')[0]}); map such values to text first`, { cause });
  }
}
