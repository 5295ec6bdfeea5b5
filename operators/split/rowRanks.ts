import type { RowSample, Size } from './RangeSight.ts';

/**
 * A row that was found before a piece, and which share of all rows the service lists before it. A service that lists its best rows first
 * has the same order in each query. So if this row is the fiftieth of a full query, and a tenth of all rows come before it, the query
 * has about five hundred rows.
 */
export interface RankedRow {
  readonly place: number;
  readonly id: number;
  readonly rank: number;
  /** The variance of the rank, as a share of its square. */
  readonly doubt: number;
}

/** So many of the rows before a piece are kept. */
const kept = 20;
/** A wide query returns so many of them again. Fewer tell less, and more take the room of other rows. */
const again = 3;
/** A full query returns only rows below such a rank, and may have more rows than expected. */
const returnedBelow = 0.8;
/** Orders are compared if two queries have so many rows in common. */
const fewestCommon = 5;
/** Rows are in the same order if this share of the steps from row to row is. */
const mostly = 0.8;
/** However many rows tell it, a rank or a size may be off by so much. */
const [leastDoubt, leastSizeDoubt] = [0.005, 0.025];

/** Whether a query that isn't full lists its rows in the order of full ones. undefined if they have too few rows in common. */
export function isSameOrder(samples: readonly RowSample[], ids: readonly number[]): boolean | undefined {
  const common = samples
    .map(({ listed = [] }) => listed.map((id) => ids.indexOf(id)).filter((index) => index !== -1))
    .reduce((one, other) => (other.length > one.length ? other : one), []);
  if (common.length < fewestCommon) return undefined;
  return common.filter((index, before) => before > 0 && index > common[before - 1]!).length >= mostly * (common.length - 1);
}

/** The last rows before the next piece, by their place. `ids`: those of a query that isn't full, as the service lists them. */
export function rankedRows(samples: readonly RowSample[], ids: readonly number[], places: readonly number[]): readonly RankedRow[] {
  const ranked = ids.map((id, index): RankedRow => {
    const known = [rankAt(index, ids.length, 1, 0)];
    for (const { listed = [], rows, returned } of samples) {
      const at = listed.indexOf(id);
      const share = returned / rows;
      if (at !== -1) known.push(rankAt(at, listed.length, share, (1 - share) / returned));
    }
    const { size, doubt } = together(known);
    return { place: places[index]!, id, rank: size, doubt };
  });
  return ranked.toSorted((one, other) => one.place - other.place).slice(-kept);
}

/** The rank of a row of a query that returned a share of its rows. The doubt is that of the share. */
function rankAt(index: number, listed: number, share: number, doubt: number): Told {
  return { size: (share * (index + 0.5)) / listed, doubt: Math.max(leastDoubt, 1 / (index + 0.5) - 1 / listed + doubt) };
}

/** From which place on a query should reach that is expected to have so many rows, to return some of the rows before it again. */
export function reachBack(before: readonly RankedRow[], rows: number, full: number): number | undefined {
  const returned = before.filter(({ rank }) => rank < (returnedBelow * full) / rows);
  return returned.at(-again)?.place ?? returned[0]?.place;
}

/** The size of a full query with these ids, by what was expected and by the rows that other queries returned, too. */
export function sizeByRanks(expected: Size, ids: readonly number[], before: readonly RankedRow[], samples: readonly RowSample[]): Size {
  const told = [{ size: expected.rows, doubt: (expected.deviation / expected.rows) ** 2 }];
  for (const { id, rank, doubt } of before) {
    const at = ids.indexOf(id);
    if (at !== -1) told.push({ size: (at + 0.5) / rank, doubt: doubt + 1 / (at + 0.5) });
  }
  for (const { listed = [], rows, returned } of samples) {
    const at = ids.findLastIndex((id) => listed.includes(id));
    if (at === -1) continue;
    const share = returned / rows;
    const rank = rankAt(listed.indexOf(ids[at]!), listed.length, share, (1 - share) / returned);
    told.push({ size: (at + 0.5) / rank.size, doubt: rank.doubt + 1 / (at + 0.5) });
  }
  if (told.length === 1) return expected;
  const { size, doubt } = together(told);
  const rows = Math.max(size, ids.length + 2);
  return { rows, deviation: rows * Math.sqrt(Math.max(leastSizeDoubt, doubt)) };
}

/** What something says of a number, with the variance as a share of its square. */
interface Told {
  readonly size: number;
  readonly doubt: number;
}

function together(told: readonly Told[]): Told {
  const sure = told.reduce((sum, { doubt }) => sum + 1 / doubt, 0);
  const log = told.reduce((sum, { size, doubt }) => sum + Math.log(size) / doubt, 0);
  return { size: Math.exp(log / sure), doubt: 1 / sure };
}
