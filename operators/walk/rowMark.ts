import { LazyRow } from '../LazyRow.ts';
import { fingerprint } from './fingerprint.ts';
import { valueAt } from './valueAt.ts';

/** A number that identifies a row of a page that is requested a second time: by its id, else by all of it. */
export function rowMark(id: string | undefined, row: unknown): number {
  if (id === undefined) return fingerprint(row);
  const value = row instanceof LazyRow && !id.includes('.') ? row.field(id) : valueAt(row instanceof LazyRow ? row.parse() : row, id);
  return fingerprint(value === undefined || value === null || value === '' ? row : value);
}
