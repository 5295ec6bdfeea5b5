import { above } from './above.ts';
import { outcomes, type Expected } from './bestEnd.ts';
import type { PieceRows, RangePiece } from './RangePiece.ts';
import { byId, shareAt, type Size } from './RangeSight.ts';
import { sizeByRanks } from './rowRanks.ts';

/** Where nothing is known, a full piece is taken to have so many times the rows that it returned. */
const leap = 32;
/** … and elsewhere at least so many rows more. */
const leastExcess = 6;
/** A smaller share of rows doesn't show where the others lie … */
const seen = 0.12;
/** … so a full piece there is a surprise: what the pieces before tell of it is taken to have so many times the variance. */
const unseenDoubt = 5;
/** Claims may be wrong by this share. */
const maxWrong = 0.05;

/** How many rows a full piece has: by what the service claims, else by what was expected of it. */
export function sizeOfFull(piece: RangePiece, found: PieceRows, expected: Expected): Size {
  const { full, last, claims, isRanked, sights } = piece;
  const { claim } = found;
  const sight = sights[0]!;
  if (claims !== undefined && claim !== undefined) return sized(Math.max(claim, full + 1), maxWrong);
  if (expected.rows < 1) return sized(leap * full, 0.5);
  if (sight.path === byId || isRanked === false) return likelySize(expected, full);
  return byRanks(piece, found, fullSize(expected, full, shareAt(sight, last) >= seen));
}

function sized(rows: number, off: number): Size {
  return { rows, deviation: off * rows };
}

/** How many rows a full query has, by what was expected of it, where no ranks of rows can correct a surprise: hardly more. */
function likelySize(expected: Expected, full: number): Size {
  const { fullRows } = outcomes(full, expected);
  const beyond = Math.min(Math.sqrt(expected.variance), 2 * (fullRows - full));
  return { rows: Math.max(full + leastExcess, fullRows), deviation: Math.max(leastExcess, beyond) };
}

/** How many rows a full query has, by what was expected of it. `isSeen`: an earlier full query shows where its rows lie. */
function fullSize({ rows, variance }: Expected, full: number, isSeen: boolean): Size {
  const chance = 1 / rows;
  const off = Math.max(0, variance / rows ** 2 - chance);
  const doubt = Math.log(1 + chance + (isSeen ? off : unseenDoubt * off));
  const { more, left } = above(Math.log(full / rows), doubt);
  const most = Math.max(full + leastExcess, rows * Math.exp(more));
  return { rows: most, deviation: Math.max(leastExcess, most * Math.sqrt(left)) };
}

/** How many rows a full query has, by what was expected of its piece and by the rows that other queries returned, too. */
function byRanks({ from = Infinity, last, before, isRanked, sights: [sight] }: RangePiece, { places }: PieceRows, expected: Size): Size {
  if (isRanked !== true) return expected;
  const again = before.filter(({ place }) => place >= from);
  const beside = sight!.samples.filter((sample) => sample.last < last);
  return sizeByRanks({ ...expected, rows: expected.rows + again.length }, places[byId]!, again, beside);
}
