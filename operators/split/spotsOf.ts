import type { Splits } from './Splits.ts';
import { rowMark } from '../walk/markOf.ts';
import { valueAt } from '../walk/valueAt.ts';
import type { Area } from './Area.ts';
import { mapX, mapY } from './mercator.ts';
import type { Spotted } from './Reach.ts';

export type AreaSpec = NonNullable<Splits['area']>;

/** The map has this many positions from side to side: one a centimetre. */
export const positions = 2 ** 32;

/** Where rows lie. Those that don't say so are left out. `id`: the field that identifies a row. */
export function spotsOf(rows: readonly unknown[], spec: AreaSpec, id: string | undefined): Spotted[] {
  return rows.flatMap((row): Spotted[] => {
    const at = positionOf(row, spec);
    return at === undefined ? [] : [{ id: rowMark(id, row), x: rounded(mapX(at.longitude)), y: rounded(mapY(at.latitude)) }];
  });
}

/** Whether a row lies outside an area. One without a position counts as inside. */
export function isOutside(row: unknown, area: Area, spec: AreaSpec): boolean {
  const at = positionOf(row, spec);
  return at !== undefined && !area.contains(at.longitude, at.latitude);
}

export function positionOf(
  row: unknown,
  spec: Pick<AreaSpec, 'latitude' | 'longitude'>,
): { readonly latitude: number; readonly longitude: number } | undefined {
  const [latitude, longitude] = [valueAt(row, spec.latitude), valueAt(row, spec.longitude)];
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;
}

function rounded(part: number): number {
  return Math.floor((part - Math.floor(part)) * positions) / positions;
}
