import { mapOptions, type MapOptions } from './mapOptions.ts';
import { createHmac } from 'node:crypto';
import { SandboxRefusal } from '../SandboxRefusal.ts';
import { Geography } from './Geography.ts';
import { Random } from './Random.ts';

/** A query of any operation, typed by its parameters, without defaults filled in. */
export type WorldQuery = { readonly [param: string]: string | number | boolean | undefined };

interface WorldOptions {
  /** Each seed gives a different world. */
  readonly seed: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How many days have passed since the world began. @default 0 */
  readonly day?: number | undefined;
  /** Options for the map. @default a few thousand places in and around large cities */
  readonly map?: MapOptions | undefined;
  /** How many works there are on each topic. @default from 8 to 68, by the topic */
  readonly works?: number | undefined;
  /** Whether lists never end. @default false */
  readonly endless?: boolean | undefined;
}

/**
 * Computes what responses say. Nothing is stored: every place, person and product is computed from its id. So an id works at any time, in
 * any order, and on any machine with the same seed.
 */
export class World {
  readonly seed: string;
  readonly now: () => number;
  readonly day: number;
  readonly map: { readonly [K in keyof MapOptions]-?: NonNullable<MapOptions[K]> };
  readonly works: number | undefined;
  readonly endless: boolean;
  readonly geography: Geography;
  readonly #answered = new Map<string, number>();

  constructor({ seed, now, day = 0, map = {}, works, endless = false }: WorldOptions) {
    this.seed = seed;
    this.now = now;
    this.day = day;
    this.map = mapOptions.read('World', map);
    this.works = works;
    this.endless = endless;
    this.geography = new Geography(this);
  }

  /** The same world with lists that never end. */
  withoutEnd(): World {
    const { seed, now, day, map, works } = this;
    return new World({ seed, now, day, map, works, endless: true });
  }

  /** Notes that an answer was generated. The next one to the same question differs. */
  answered(question: string): void {
    this.#answered.set(question, this.timesAnswered(question) + 1);
  }

  timesAnswered(question: string): number {
    return this.#answered.get(question) ?? 0;
  }

  /** How far something has moved since the world began, by `least` to `most` a day. */
  moved(what: string, thing: string, least: number, most: number): number {
    return range(1, this.day + 1).reduce((sum, day) => sum + this.random(what, thing, day).int(least, most), 0);
  }

  /** The factor of a price today. 1 on the first day. */
  priceToday(thing: string): number {
    return this.day === 0 ? 1 : 1 + this.random('price of the day', thing, this.day).int(-10, 10) / 100;
  }

  /** A random generator for a thing. The same thing always gets the same numbers. */
  random(...thing: readonly (string | number | boolean | undefined)[]): Random {
    return new Random(`${this.seed}\0${thing.join('\0')}`);
  }

  /** An opaque token that only this world can have made. */
  seal(kind: string, ...parts: readonly (string | number)[]): string {
    const body = Buffer.from(JSON.stringify(parts)).toString('base64url');
    return `${body}.${this.sign(kind, body)}`;
  }

  /** The content of a token. Throws a SandboxRefusal if it is from another world or of another kind. */
  open(kind: string, param: string, token: string): readonly (string | number)[] {
    const dot = token.lastIndexOf('.');
    const body = token.slice(0, Math.max(0, dot));
    if (dot < 0 || token.slice(dot + 1) !== this.sign(kind, body)) {
      throw new SandboxRefusal(400, `${param}: '${token}' is not a token of an earlier response; take it from one`);
    }
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as (string | number)[];
  }

  private sign(kind: string, body: string): string {
    return createHmac('sha256', this.seed).update(`${kind}\0${body}`).digest('base64url').slice(0, 11);
  }
}

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
