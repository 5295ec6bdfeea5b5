import { kindOf } from './paging/pagingKinds.ts';
import type { WalkedOperation } from './WalkedOperation.ts';

/** Services page by tens. */
const usualSize = 10;

/** Whether a last page of so many rows looks like one in the middle: full, or empty where no walk has to end so. */
export function looksCut({ paging }: Pick<WalkedOperation, 'paging'>, rows: number): boolean {
  const kind = kindOf(paging);
  return rows % (kind.pageSize(paging) ?? usualSize) === 0 && (rows > 0 || !kind.endsEmpty);
}
