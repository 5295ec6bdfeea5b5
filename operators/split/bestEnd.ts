import { outlookOf, rowsAhead, type RangePast } from './RangePast.ts';
import { beforeNext, byId, lengthOf, partsAs, sampledIn, type RangeSight } from './RangeSight.ts';

/** What is known of a piece of a range before its end is chosen. */
export interface PieceStart {
  readonly first: number;
  /** The number of rows at which it is full. */
  readonly full: number;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  readonly past: RangePast;
  readonly sights: readonly RangeSight[];
  /** What the service claimed of the whole range, and of the query that this piece was cut from. undefined: nothing, or it was wrong. */
  readonly claims?: readonly [whole: number, wider: number] | undefined;
}

/** How many rows are expected, and the variance of this number. */
export interface Expected {
  readonly rows: number;
  readonly variance: number;
  /** The part of the variance that is chance in this piece alone. What the pieces before teach leaves it as it is. */
  readonly own: number;
}

/** What may become of a piece. */
interface Outcomes {
  /** The chance that it isn't full. */
  readonly fits: number;
  /** Its rows if it isn't full, times this chance. */
  readonly rows: number;
  /** Its rows if it is full. */
  readonly fullRows: number;
}

/** The shares of a full piece that the next one may be aimed at. Those above one are full, but show where rows lie. */
const aims = [...Array.from({ length: 21 }, (_, index) => 0.3 + 0.035 * index), 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10];
/** A piece of this share of a full one stands for those that follow. */
const usual = 0.8;
/** What the past tells and what samples tell don't agree if they are so many variances apart. */
const apartFrom = 3;
/** A full piece makes the variance of what the past tells so many times larger, where nothing shows on which places its rows lie. */
const surprise = 10;

/** How many rows a piece would have, by its last place: by the pieces so far, and by what full queries returned. The surer one counts more. */
export function expecting({ first, full, fulls, past, sights: [sight] }: PieceStart): (last: number) => Expected {
  const outlook = outlookOf(past);
  const surprised = sight?.path === byId ? surprise ** Math.min(4, fulls) : 1;
  return (last) => {
    const { known, unseen, variance, scale, covers } = sampledIn(sight?.samples ?? [], first, last);
    const rows = known + unseen;
    if (outlook === undefined) return expected(rows, unseen + variance, scale);
    const ahead = rowsAhead(outlook, lengthOf(sight, first, last));
    const off = (Math.max(1, ahead / full) / outlook.counted) * surprised;
    if (!covers) return expected(ahead, ahead + off * ahead ** 2);
    const sampledOff = (variance + 1e-6) / Math.max(1, rows) / Math.max(1, Math.sqrt(rows * ahead));
    const apart = Math.log((rows + 1) / (ahead + 1)) ** 2;
    const outlookOff = Math.max(off, apart - apartFrom * (sampledOff + 1 / (rows + 1)));
    const weight = sampledOff / (sampledOff + outlookOff);
    const others = Math.max(0, weight * ahead + (1 - weight) * rows - known);
    const own = others + weight * outlookOff * (known + others) ** 2;
    return expected(known + others, own, scale * (1 - weight) ** 2);
  };
}

function expected(rows: number, own: number, scale: number = 0): Expected {
  return { rows, variance: own + scale, own };
}

/**
 * The end, not behind `to`, that brings most. A piece that isn't full brings its rows. A full one brings requests that are spared later:
 * it shows where its rows lie, or how many they are, so that the pieces in it can be wider.
 */
export function bestEnd(start: PieceStart, to: number): number {
  const { first, full, claims, sights } = start;
  const [sight] = sights;
  const expect = expecting(start);
  const lastWith = (rows: number, [from, end]: readonly [number, number]): number => {
    let [low, high] = [from, end];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (expect(middle).rows <= rows) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const now = expect(lastWith(usual * full, [first, to]));
  const doubt = now.own / Math.max(now.rows, 1) ** 2;
  const shownBy = (rows: number): number =>
    Math.max(1e-4, sight?.path === byId ? (rows / (usual * full) - 1) / partsAs : (rows - full) / (usual * full * full));
  const around = sight?.samples.filter(({ last, places }) => last > first && places.length > 0) ?? [];
  const shown = Math.min(Infinity, ...around.map(({ rows, returned }) => shownBy((full * rows) / returned)));
  /** The doubt about a piece after a full query with so many rows. A claim is enough to halve it. */
  const doubtAfter = (rows: number): number =>
    claims === undefined ? 1 / (1 / doubt + Math.max(0, 1 / shownBy(rows) - 1 / shown)) : doubt / 2;
  const looks = claims === undefined ? aims.filter((share) => share > 1) : [];
  // rows a request, with or without a look at more rows than a query returns
  const usually = Math.max(
    bringing(full, doubt),
    ...looks.map((share) => 1 / (1 / (share * full) + 1 / bringing(full, doubtAfter(share * full)))),
  );
  let [best, brought, low] = [first, -1, first];
  for (const share of aims) {
    if (share > 1 && looks.length === 0) break;
    low = lastWith(share * full, [low, to]);
    // where many rows lie on one place, the next one may be worth it
    for (const place of [low, low + Math.max(1, sight?.every ?? 1)]) {
      const last = Math.min(to, beforeNext(sight, place));
      const likely = expect(last);
      const { fits, rows, fullRows } = outcomes(full, likely);
      const spares = fits < 1 ? (1 - fits) * fullRows * Math.max(0, 1 - usually / bringing(full, doubtAfter(fullRows))) : 0;
      const brings = last === first ? Math.min(full, likely.rows) : rows + spares;
      if (brings > brought) [brought, best] = [brings, last];
    }
    if (low >= to) break;
  }
  return best;
}

/** What may become of a piece, if the number of its rows has a gamma distribution. */
export function outcomes(full: number, { rows, variance }: Pick<Expected, 'rows' | 'variance'>): Outcomes {
  const mean = Math.max(rows, 1e-6);
  const scale = Math.max(variance, 1e-6) / mean;
  const shape = mean / scale;
  const [fits, sized] = [chanceBelow(full - 0.5, shape, scale), chanceBelow(full - 0.5, shape + 1, scale)];
  return { fits, rows: mean * sized, fullRows: Math.max(full, (mean * (1 - sized)) / Math.max(1e-9, 1 - fits)) };
}

/** The chance that a number of a gamma distribution is below a limit, by Wilson and Hilferty. A logistic curve is close to the normal one. */
function chanceBelow(limit: number, shape: number, scale: number): number {
  const root = 1 / (9 * shape);
  return 1 / (1 + Math.exp((-1.7 * (Math.cbrt(limit / (shape * scale)) - 1 + root)) / Math.sqrt(root)));
}

/** How many rows the best piece brings where the number of its rows has such a variance, as a share of its square. */
function bringing(full: number, doubt: number): number {
  let most = 0;
  for (let share = 0.3; share < 0.95; share += 0.05) {
    const rows = share * full;
    most = Math.max(most, outcomes(full, { rows, variance: doubt * rows ** 2 }).rows);
  }
  return most;
}
