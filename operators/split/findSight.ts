import type { Area } from './Area.ts';
import { latitudeAt, longitudeAt, pixelAt } from './mercator.ts';
import { leastSight, Reach, type Looked, type Sight, type View } from './Reach.ts';

/** The number of spots to try. */
const spots = 3;

/**
 * Finds out how far a search sees, with few searches. Yields where to search, takes the result, returns what it learnt.
 *
 * It searches the whole area, then zooms in on a spot that has rows until a search isn't full but returns enough to
 * learn from. Then it searches beside that one, on each side, where its edges must be. It tries three spots at most.
 */
export function* findSight(
  area: Area,
  zoom: readonly [number, number],
  enough: number,
): Generator<View, { readonly sight: Sight; readonly sure: boolean }, Looked> {
  const reach = new Reach();
  const { left, right, top, bottom } = area.box;
  const fits = Math.log2(Math.min(leastSight.across / 128 / (right - left), leastSight.down / 128 / (bottom - top)));
  const widest = Math.max(zoom[0], Math.min(zoom[1], Math.floor(fits)));
  const first = yield { x: (left + right) / 2, y: (top + bottom) / 2, zoom: widest };
  reach.add(first);
  let learnt = { ...leastSight, sure: false };
  for (let spot = 0; spot < spots && !learnt.sure; spot++) {
    let subject: Looked | undefined = first;
    if (first.full) {
      const inside = first.rows.filter(({ x, y }) => area.contains(longitudeAt(x), latitudeAt(y)));
      // this search shows nothing inside: one spot outside is enough
      if (inside.length === 0 && spot > 0) break;
      const around = inside.length > 0 ? inside : first.rows;
      const at = around[Math.floor(((spot + 0.5) / spots) * around.length)];
      if (at === undefined) break;
      subject = undefined;
      for (let [low, high] = [widest, zoom[1] + 1]; high - low > 1;) {
        const middle = Math.floor((low + high) / 2);
        const look: Looked = yield { x: at.x, y: at.y, zoom: middle };
        reach.add(look);
        if (look.full) low = middle;
        else high = middle;
        if (!look.full && look.rows.length > (subject?.rows.length ?? -1)) subject = look;
        if (!look.full && look.rows.length >= enough) break;
      }
    }
    if (subject === undefined || subject.rows.length < 3) break;
    const { x, y, rows } = subject;
    const across = ninetieth(rows.map((row) => Math.abs(row.x - x)));
    const down = ninetieth(rows.map((row) => Math.abs(row.y - y)));
    for (const [right_, below] of [
      [across, 0],
      [0, down],
      [-across, 0],
      [0, -down],
    ] as const) {
      reach.add(yield { x: x + right_, y: y + below, zoom: subject.zoom }); // prettier-ignore
      learnt = reach.learn();
      if (learnt.sure) break;
    }
    if (!first.full) break;
  }
  return { sight: { across: learnt.across, down: learnt.down }, sure: learnt.sure };
}

function ninetieth(distances: readonly number[]): number {
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length * 0.9)] ?? pixelAt(0);
}
