import { hashOf } from './Random.ts';
import type { ServedWorld, WorldOperation } from './World.ts';

export interface WorldRow {
  readonly id: string;
  readonly rank: number;
  readonly at: string;
  readonly group: string;
  readonly part: (typeof parts)[number];
  readonly text: string;
}

export const parts = ['a', 'b', 'c'] as const;
const dayMs = 86_400_000;
/** Row times begin here, half a day apart: the flow looks back for one hour. */
const firstRow = Date.UTC(2025, 0, 1);

/** What the service really has. */
export class WorldTruth {
  readonly #world: ServedWorld;
  readonly #known = new Map<string, readonly WorldRow[]>();

  constructor(world: ServedWorld) {
    this.#world = world;
  }

  /** All rows of a query on a day, in the service's order. */
  rowsOf(operation: number, key: string, day: number): readonly WorldRow[] {
    const of = this.#world.operations[operation]!.shared === true ? 'all' : key;
    const known = `${operation} ${of} ${day}`;
    let rows = this.#known.get(known);
    if (rows === undefined) this.#known.set(known, (rows = this.#make(operation, of, day)));
    return rows;
  }

  /** The rows that one query can bring. */
  visible(operation: number, key: string, day: number, part: string | undefined, newestFirst: boolean): readonly WorldRow[] {
    const { cap = Infinity } = this.#world.operations[operation]!;
    const all = this.rowsOf(operation, key, day).filter((row) => part === undefined || row.part === part);
    const ordered = newestFirst ? all.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.rank - a.rank)) : all;
    return cap === Infinity ? ordered : ordered.slice(0, cap);
  }

  #make(operation: number, key: string, day: number): readonly WorldRow[] {
    const { rows: most, ties = 1 }: WorldOperation = this.#world.operations[operation]!;
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
        });
      }
    }
    return rows;
  }
}
