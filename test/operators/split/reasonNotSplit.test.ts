import { describe, expect, it } from 'vitest';
import { pixelAt } from '../../../operators/split/Area.ts';
import type { Spotted } from '../../../operators/split/estimateView.ts';
import { type FullSearch, reasonNotSplit } from '../../../operators/split/reasonNotSplit.ts';

const zoom = 15;
/** Rows this many pixels east of the centre. */
const rowsAt = (...pixels: readonly number[]): Spotted[] => pixels.map((right, id) => ({ id, x: 0.5 + right * pixelAt(zoom), y: 0.5 }));
const search = (facts: Partial<FullSearch>, ...pixels: readonly number[]): FullSearch => ({
  isDeepest: false,
  isAtCap: true,
  view: { x: 0.5, y: 0.5, zoom, rows: rowsAt(...pixels) },
  sight: { across: 500, down: 400 },
  added: 1,
  mayLack: () => true,
  pays: () => true,
  ...facts,
});
const no = (): boolean => false;

describe('reasonNotSplit', () => {
  it.each<[string, string | undefined, FullSearch]>([
    ['a full search is split', undefined, search({}, 10, 20, 30)],
    ['at the highest zoom it is left', 'zoom', search({ isDeepest: true, pays: no }, 10, 20, 30)],
    ['rows that no view reaches', 'elsewhere', search({}, 10, 5000, 6000)],
    ['half of the rows may come from beyond', undefined, search({}, 10, 6000)],
    ['rows outside its view, and none is new', 'elsewhere', search({ added: 0 }, 10, 700, 800)],
    ['rows outside its view, some of them new', undefined, search({ added: 1 }, 10, 700, 800)],
    ['rows in its view, and none is new: deeper searches may separate them', undefined, search({ added: 0 }, 10, 200, 300)],
    ['nothing is outside a view that was not measured', undefined, search({ added: 0, sight: undefined }, 10, 700, 800)],
    ['it lacks places', undefined, search({ isAtCap: false }, 10, 5000, 6000)],
    ['it lacks places, and too many did', 'unsteady', search({ isAtCap: false, mayLack: no }, 10)],
    ['the known rows do not explain so many full searches', 'crowded', search({ pays: no }, 10, 20, 30)],
  ])('%s: %s', (_, because, full) => {
    expect(reasonNotSplit(full)).toBe(because);
  });
});
