import { SandboxRefusal } from '../SandboxRefusal.ts';
import type { World, WorldQuery } from './World.ts';

interface CursorStretch {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** The token of the next part. undefined at the end. */
  readonly next: string | undefined;
}

/** The part of a list of `total` that a query's cursor selects, `size` at a time. A token belongs to the query it came from. */
export function cursor(world: World, kind: string, query: WorldQuery, param: string, total: number, size: number): CursorStretch {
  const { [param]: token, ...rest } = query;
  const belongsTo = JSON.stringify(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
  const owner = world.random('cursor', belongsTo).hex(8);
  let from = 0;
  if (token !== undefined) {
    const [of, offset] = world.open(kind, param, String(token));
    if (of !== owner) throw new SandboxRefusal(400, `${param}: this token belongs to another query`);
    from = Number(offset);
  }
  const end = world.endless ? Infinity : total;
  const to = Math.min(end, from + size);
  return { from, to, next: to < end ? world.seal(kind, owner, to) : undefined };
}

/** The numbers from `from` up to, but not including, `to`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
