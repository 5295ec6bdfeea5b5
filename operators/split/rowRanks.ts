import { shareOf, type RowSample, type Size } from './RangeSight.ts';

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
const again = 4;
/** A full query returns only rows below such a rank, and may have more rows than expected. */
const returnedBelow = 0.8;
/** Orders are compared if two queries have so many rows in common. */
const fewestCommon = 5;
/** Rows are in the same order if this share of the steps from row to row is. */
const mostly = 0.8;
/** However many rows tell it, a rank or a size may be off by so much. */
const [leastDoubt, leastSizeDoubt] = [0.005, 0.01];

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
  const ranks = ids.flatMap((id, index) => {
    const [surest] = samples.flatMap((sample) => rankIn(sample, id) ?? []).toSorted((one, other) => one.doubt - other.doubt);
    return surest === undefined ? [] : [{ index, ...surest }];
  });
  const ranked = ids.map((id, index): RankedRow => {
    const own = (index + 0.5) / ids.length;
    const chance = (own * (1 - own)) / ids.length + (0.5 / ids.length) ** 2;
    // rows between this one and one whose rank is known better
    const [near] = ranks
      .map(({ index: at, size, doubt }) => {
        const rank = index < at ? (size * (index + 1)) / (at + 1) : size + ((1 - size) * (index - at)) / (ids.length - at);
        return { rank, variance: doubt * own * rank + Math.abs(index - at) / ids.length ** 2 };
      })
      .toSorted((one, other) => one.variance - other.variance);
    const weight = near === undefined ? 0 : chance / (chance + near.variance);
    const rank = own + weight * ((near?.rank ?? own) - own);
    return { place: places[index]!, id, rank, doubt: ((1 - weight) * chance) / rank ** 2 };
  });
  return ranked.toSorted((one, other) => one.place - other.place).slice(-kept);
}

/** The rank of a row, by a full query that returned it. undefined if it didn't. */
function rankIn(sample: RowSample, id: number): Told | undefined {
  const { listed = [] } = sample;
  const { share, doubt } = shareOf(sample);
  const at = listed.indexOf(id);
  return at === -1
    ? undefined
    : { size: (share * (at + 0.5)) / listed.length, doubt: Math.max(leastDoubt, chanceAt(at, listed.length) + doubt) };
}

/** How many rows a query has that lists a row of this rank at this index. */
function sizeAt(index: number, rows: number, { size: rank, doubt }: Told): Told {
  return { size: (index + 0.5) / rank, doubt: doubt + chanceAt(index, rows) };
}

/** The variance, as a share of its square, of the part of a list's rows that a row at this index has before it by chance. */
function chanceAt(index: number, rows: number): number {
  return 1 / (index + 0.5) - 1 / rows;
}

/** From which place on a query should reach that is expected to have so many rows, to return some of the rows before it again. */
export function reachBack(before: readonly RankedRow[], rows: number, full: number): number | undefined {
  const returned = before.filter(({ rank }) => rank < (returnedBelow * full) / rows);
  return returned.at(-again)?.place ?? returned[0]?.place;
}

/**
 * The size of a full query with these ids, by what was expected and by the rows that other queries returned, too. A row at index 50 of a
 * hundred which has a tenth of all rows before it says that the query returned a fifth. A row that it didn't return comes behind them.
 */
export function sizeByRanks(expected: Size, ids: readonly number[], before: readonly RankedRow[], samples: readonly RowSample[]): Size {
  const again = before.map(({ id, ...row }) => ({ ...row, at: ids.indexOf(id) }));
  const from = again.findIndex(({ at }) => at !== -1);
  // rows before the first one that it returned may lie before the query
  const within = from === -1 ? [] : again.slice(from);
  const listed = within.flatMap(({ at, rank, doubt }) => (at === -1 ? [] : [sizeAt(at, ids.length, { size: rank, doubt })]));
  const behind = within.flatMap(({ at, rank, doubt }) => (at === -1 ? [{ size: ids.length / rank, doubt }] : []));
  for (const sample of samples) {
    const last = ids.findLast((id) => sample.listed?.includes(id) === true);
    const told = last === undefined ? undefined : rankIn(sample, last);
    if (told !== undefined) listed.push(sizeAt(ids.indexOf(last!), ids.length, told));
  }
  if (listed.length === 0) return expected;
  // ranks are off together, so the surest one says nearly all
  const [surest] = listed.toSorted((one, other) => one.doubt - other.doubt);
  const around = [{ size: expected.rows, doubt: (expected.deviation / expected.rows) ** 2 }, surest!];
  const likely = (log: number): number =>
    around.reduce((sum, { size, doubt }) => sum - (log - Math.log(size)) ** 2 / (2 * doubt), 0) -
    behind.reduce((sum, { size, doubt }) => sum + Math.log(1 + Math.exp((1.7 * (Math.log(size) - log)) / Math.sqrt(doubt))), 0);
  const logs = Array.from({ length: sizes }, (_, index) => Math.log(ids.length + 2) + index * sizeStep);
  const found = logs.map(likely);
  const most = Math.max(...found);
  const weights = found.map((one) => Math.exp(one - most));
  const sum = weights.reduce((one, other) => one + other);
  const mean = weights.reduce((all, weight, index) => all + weight * logs[index]!, 0) / sum;
  const doubt = weights.reduce((all, weight, index) => all + weight * (logs[index]! - mean) ** 2, 0) / sum;
  return { rows: Math.exp(mean), deviation: Math.exp(mean) * Math.sqrt(Math.max(leastSizeDoubt, doubt)) };
}

/** So many sizes are compared, each larger than the one before by this power of e: up to 150 times the rows that were returned. */
const [sizes, sizeStep] = [168, 0.03];

/** What something says of a number, with the variance as a share of its square. */
interface Told {
  readonly size: number;
  readonly doubt: number;
}
