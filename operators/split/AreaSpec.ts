import type { AreaSpec } from './Splits.ts';
import { rowMark } from '../walk/markOf.ts';
import { getOrInsert } from '../kit/once.ts';
import { valueAt } from '../kit/path.ts';
import { type Area, latitudeAt, longitudeAt, mapX, mapY } from './Area.ts';
import type { Sight, Spotted, View } from './learnSight.ts';

/** The value of the operation's parameter for a view. */
export function writeView(spec: Pick<AreaSpec, 'write'>, { x, y, zoom }: View): string {
  return writePoint(spec, { latitude: latitudeAt(y), longitude: longitudeAt(x), zoom });
}

/** A point in degrees, and the zoom to search at. */
interface ZoomedPoint {
  readonly latitude: number;
  readonly longitude: number;
  readonly zoom: number;
}

/** The value of the parameter for a point in degrees. */
export function writePoint({ write }: Pick<AreaSpec, 'write'>, { latitude, longitude, zoom }: ZoomedPoint): string {
  // a ten-millionth of a degree is a centimetre
  const text = { latitude: latitude.toFixed(7), longitude: longitude.toFixed(7), zoom: String(zoom) };
  return write.replaceAll(/\{(latitude|longitude|zoom)\}/g, (_, name: keyof typeof text) => text[name]);
}

interface ViewPattern {
  readonly names: readonly string[];
  readonly pattern: RegExp;
}

/** The patterns that parse such values, by `write`. They are kept, because each query of a tile is parsed. */
const patterns = new Map<string, ViewPattern>();

function patternOf(write: string): ViewPattern {
  const names = [...write.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const pattern = write.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, String.raw`(-?\d+(?:\.\d+)?)`);
  return { names, pattern: new RegExp(`^${pattern}$`) };
}

/** The view that a value of the parameter stands for. undefined for any other text. */
export function readView(spec: Pick<AreaSpec, 'write'>, text: string): View | undefined {
  const point = readPoint(spec, text);
  return point && { x: mapX(point.longitude), y: mapY(point.latitude), zoom: point.zoom };
}

/** The point that a value of the parameter stands for. undefined for any other text. */
export function readPoint({ write }: Pick<AreaSpec, 'write'>, text: string): ZoomedPoint | undefined {
  const known = getOrInsert(patterns, write, patternOf);
  const found = known.pattern.exec(text);
  if (found === null) return undefined;
  const values = Object.fromEntries(known.names.map((name, index) => [name, Number(found[index + 1])]));
  return { latitude: values['latitude']!, longitude: values['longitude']!, zoom: values['zoom']! };
}

/** How far a search sees, if the operation says so. */
export function statedSight({ sight }: AreaSpec): Sight | undefined {
  return sight && { across: sight[0] * 128, down: sight[1] * 128 };
}

/** The number of positions from side to side of the map: one for each centimetre. */
export const positions = 2 ** 32;

/** Where rows lie. Rows without a position are left out. `id`: the field that identifies a row. */
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
