import { wholeRow } from '../LazyRow.ts';
import { quickDigest } from '../kit/quickDigest.ts';

/** A number by which a row is recognised in another response, made from its id or from all of it. */
export function rowNumber(idOrRow: unknown): number {
  return quickDigest(new TextEncoder().encode(JSON.stringify(wholeRow(idOrRow))));
}
