/** A piece of a range of whole numbers, and what is known when it is requested. It is plain data. */
export interface RangePiece {
  readonly first: number;
  readonly last: number;
  /** The sweep goes on up to here. */
  readonly end: number;
  /** The number of rows at which a piece is full. */
  readonly full: number;
  /** Rows of the latest pieces and how wide these were, the older the less. */
  readonly rows: number;
  readonly width: number;
  /** Pieces from the same start that were full. */
  readonly fulls: number;
  /** Whether the range has no bound below its first place and above its last one. */
  readonly open: readonly [below: boolean, above: boolean];
}

/** A piece should have this share of a full one. With more it is full too often, with less there are too many pieces. */
const aim = 0.83;
/** What the density so far counts for, after each piece. */
const memory = 0.6;
/** Where the density isn't known, the next piece is so much narrower than a full one, or wider than an empty one. */
const leap = 16;
/** A full piece of known density had a few rows too many. */
const less = 1.3;

type Whole = Pick<RangePiece, 'first' | 'last' | 'full' | 'open'>;

/**
 * What a full range is requested as: its two halves, each swept from its start in pieces. How wide a piece is follows from the
 * rows of those before it, so that nearly every piece is just not full. That takes half as many requests as halving until
 * nothing is full.
 */
export function halvesOf({ first, last, ...rest }: Whole): readonly RangePiece[] {
  if (first >= last) return [];
  const middle = Math.floor((first + last) / 2);
  return [
    [first, middle],
    [middle + 1, last],
  ].map(([from, end]) => {
    const width = Math.max(1, Math.floor((end! - from! + 1) / leap));
    return { ...rest, first: from!, last: from! + width - 1, end: end!, rows: 0, width: 0, fulls: 0 };
  });
}

/** What is requested instead of a full piece: a narrower one from the same start. undefined if there is none. */
export function narrowerPiece(piece: RangePiece): RangePiece | undefined {
  const { first, last, full, rows, width, fulls } = piece;
  const own = last - first + 1;
  if (own === 1) return undefined;
  const next = Math.max(1, Math.floor(own / (rows === 0 || fulls > 0 ? leap : less)));
  const isDenser = rows * own < full * width || width === 0;
  return { ...piece, last: first + next - 1, ...(isDenser ? { rows: full, width: own } : {}), fulls: fulls + 1 };
}

/** What follows a piece with so many rows. undefined at the end of the sweep. `rows` is undefined if that isn't known. */
export function nextPiece(piece: RangePiece, rows: number | undefined): RangePiece | undefined {
  const { first, last, end, full } = piece;
  if (last >= end) return undefined;
  const own = last - first + 1;
  // what the full pieces before it told is a guess
  const past = rows === undefined ? 1 : piece.fulls > 0 ? 0 : memory;
  const learnt = { rows: past * piece.rows + (rows ?? 0), width: past * piece.width + (rows === undefined ? 0 : own) };
  const wide = learnt.rows < 1 ? leap * own : Math.min(leap * own, Math.floor((aim * full * learnt.width) / learnt.rows));
  return { ...piece, first: last + 1, last: Math.min(end, last + Math.max(1, wide)), ...learnt, fulls: 0 };
}
