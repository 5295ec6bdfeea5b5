import { mapX, mapY, pixelAt } from '../../operators/split/Area.ts';
import { hashOf } from './Random.ts';
import type { ServedWorld, WorldOperation } from './World.ts';

export interface WorldRow {
  readonly id: string;
  readonly rank: number;
  readonly at: string;
  readonly group: string;
  readonly part: (typeof parts)[number];
  readonly text: string;
  readonly price?: number;
  readonly latitude?: number;
  readonly longitude?: number;
}

/** Prices of rows, from 0 on, and the part of the map that is searched. Some rows lie beside it. */
export const highest = 9;
export const within = [13, 52, 14, 53] as const;

/** How a search says what part of the map it looks at, and how far it sees from the middle, in pixels. */
export const view = '@{latitude},{longitude},{zoom}z';
const sight = { across: 300, down: 200 };

/** The parameters that leave rows out. */
const narrowing = ['part', 'low', 'high', 'since', 'until', 'view'] as const;

/** What rows a query leaves out. undefined: none. */
export function narrowed(valueOf: (param: string) => unknown): string | undefined {
  const given = narrowing.flatMap((param) => {
    const value = valueOf(param);
    return value === undefined || value === null ? [] : [`${param}=${value as string}`];
  });
  return given.length === 0 ? undefined : given.join('&');
}

export const parts = ['a', 'b', 'c'] as const;
const dayMs = 86_400_000;
/** Row times begin here, half a day apart: the flow looks back for one hour. */
const firstRow = Date.UTC(2025, 0, 1);

/** What the service really has. */
export class WorldTruth {
  readonly #world: ServedWorld;
  readonly #known = new Map<string, readonly WorldRow[]>();
  readonly #visible = new Map<string, readonly WorldRow[]>();

  constructor(world: ServedWorld) {
    this.#world = world;
  }

  /** All rows of a query on a day, in the service's order. */
  rowsOf(operation: number, key: string, day: number): readonly WorldRow[] {
    const known = `${operation} ${key} ${day}`;
    let rows = this.#known.get(known);
    if (rows === undefined) this.#known.set(known, (rows = this.#make(operation, key, day)));
    return rows;
  }

  /** The rows that one query can bring. `part`: what it leaves out, as `narrowed` says it. */
  visible(operation: number, key: string, day: number, part: string | undefined, newestFirst: boolean): readonly WorldRow[] {
    const known = `${operation} ${key} ${day} ${part} ${newestFirst}`;
    let rows = this.#visible.get(known);
    if (rows === undefined)
      this.#visible.set(known, (rows = this.#bring(this.rowsOf(operation, key, day), { operation, part, newestFirst })));
    return rows;
  }

  #bring(
    rows: readonly WorldRow[],
    { operation, part, newestFirst }: { readonly operation: number; readonly part: string | undefined; readonly newestFirst: boolean },
  ): readonly WorldRow[] {
    const { cap = Infinity, sorted = false, beyond = 0, ellipse = false } = this.#world.operations[operation]!;
    const all = part === undefined ? rows : rows.filter(isIn(part, ellipse));
    const ordered = newestFirst
      ? all.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.rank - a.rank))
      : sorted
        ? all.toSorted((a, b) => a.price! - b.price! || a.rank - b.rank)
        : all;
    const came = cap === Infinity ? ordered : ordered.slice(0, cap);
    return part === undefined || beyond === 0
      ? came
      : [
          ...came,
          ...nearest(
            rows.filter((row) => !all.includes(row)),
            part,
            beyond,
          ),
        ];
  }

  #make(operation: number, key: string, day: number): readonly WorldRow[] {
    const { rows: most, ties = 1, has }: WorldOperation = this.#world.operations[operation]!;
    const chance = (...of: readonly (string | number)[]): number => hashOf(this.#world.seed, operation, key, ...of);
    const count = most === 0 ? 0 : chance('count') % (most + 1);
    const rows: WorldRow[] = [];
    for (let rank = 0, born = 0; born <= day; born++) {
      const more = born === 0 ? count : chance('more', born) % 3;
      for (let at = 0; at < more; at++, rank++) {
        const goneOn = chance('gone', rank) % 6 === 0 ? born + 1 + (chance('when', rank) % 3) : Infinity;
        if (goneOn <= day) continue;
        const version = Array.from({ length: day - born }, (_, past) => chance('change', rank, born + past + 1) % 8).filter(
          (one) => one === 0,
        ).length;
        rows.push({
          id: `${operation}.${key}.${rank}`,
          rank,
          at: new Date(firstRow + born * 30 * dayMs + Math.floor(rank / ties) * (dayMs / 2)).toISOString(),
          group: `${key}.g${Math.floor(rank / ties)}`,
          part: parts[chance('part', rank) % parts.length]!,
          text: `version ${version}`,
          ...(has === 'price' ? { price: chance('price', rank) % (highest + 1) } : {}),
          ...(has === 'place' ? placeOf(chance('east', rank), chance('north', rank)) : {}),
        });
      }
    }
    return rows;
  }
}

/** Most places lie in a few towns. */
function placeOf(east: number, north: number): Pick<WorldRow, 'latitude' | 'longitude'> {
  const [west, south] = within;
  const at = (number: number): number =>
    number % 3 === 0 ? (number % 1200) / 1000 - 0.1 : ((number % 4) + 0.5) / 4 + (number % 97) / 5000;
  return { latitude: Number((south + at(north)).toFixed(6)), longitude: Number((west + at(east)).toFixed(6)) };
}

/** Whether a row is in what a query asks for. */
function isIn(part: string, ellipse: boolean): (row: WorldRow) => boolean {
  const wanted = Object.fromEntries(part.split('&').map((one) => one.split('=') as [string, string]));
  const tests = Object.entries(wanted).map(([param, value]) => holds[param]!(value, ellipse));
  return (row) => tests.every((test) => test(row));
}

const holds: { readonly [param: string]: (value: string, ellipse: boolean) => (row: WorldRow) => boolean } = {
  part: (value) => (row) => row.part === value,
  low: (value) => (row) => row.price! >= Number(value),
  high: (value) => (row) => row.price! <= Number(value),
  since: (value) => (row) => row.at.slice(0, 10) >= value,
  until: (value) => (row) => row.at.slice(0, 10) <= value,
  view: (value, ellipse) => (row) => {
    const [across, down] = farFrom(value, row);
    return ellipse ? Math.hypot(across, down) <= 1 : Math.max(across, down) <= 1;
  },
};

/** How far a row lies from the centre of a view, across and down. Its edges are at 1. */
function farFrom(view: string, { longitude, latitude }: WorldRow): readonly [across: number, down: number] {
  const [north = 0, east = 0, zoom = 0] = view.slice(1).split(',').map(Number.parseFloat);
  const pixel = pixelAt(zoom);
  return [Math.abs(mapX(longitude!) - mapX(east)) / pixel / sight.across, Math.abs(mapY(latitude!) - mapY(north)) / pixel / sight.down];
}

/** Those nearest to the centre of the view that a query asks for. */
function nearest(rows: readonly WorldRow[], part: string, count: number): readonly WorldRow[] {
  const view = /view=([^&]*)/.exec(part)?.[1];
  if (view === undefined) return [];
  const far = (row: WorldRow): number => Math.hypot(...farFrom(view, row));
  return rows.toSorted((a, b) => far(a) - far(b)).slice(0, count);
}
