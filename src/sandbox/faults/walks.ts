import { SandboxRefusal } from '../SandboxRefusal.ts';
import { ChangedResponse } from './ChangedResponse.ts';
import type { FaultAction } from '../SandboxCall.ts';

export interface TokenOptions {
  /** What replaces the token. @default 'missing' */
  readonly as?: 'missing' | 'null' | 'empty' | 'number' | 'object' | undefined;
}

/** The token of the next page is missing, or isn't text. */
export function token({ as = 'missing' }: TokenOptions): FaultAction {
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const { holder, key } = response.token();
      if (as === 'missing') delete holder[key];
      else holder[key] = { null: null, empty: '', number: 12_345, object: { token: 'x' } }[as];
      response.send();
    },
  };
}

/** A page returns the same token that requested it. A first page doesn't change. */
export function repeatedToken(): FaultAction {
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const { holder, key } = response.token();
      const { paging } = exchange.operation.spec;
      holder[key] = (paging.kind === 'cursor' ? exchange.query[paging.param] : undefined) ?? holder[key];
      response.send();
    },
  };
}

export interface TokenRingOptions {
  /** The number of tokens before the first repeats. @default 2 */
  readonly length?: number | undefined;
}

/** The tokens of a walk repeat in a cycle. */
export function tokenRing({ length = 2 }: TokenRingOptions): FaultAction {
  const rings = new Map<string, unknown[]>();
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const { holder, key } = response.token();
      const ring = rings.get(response.walk) ?? [];
      rings.set(response.walk, ring);
      if (ring.length < length && holder[key] !== undefined) ring.push(holder[key]);
      else holder[key] = ring[0];
      response.send();
    },
  };
}

/** Tokens have expired: every page but the first is refused. */
export function staleToken(): FaultAction {
  return {
    play(exchange) {
      const { paging } = exchange.operation.spec;
      const param = paging.kind === 'none' ? undefined : paging.param;
      if (param !== undefined && exchange.query[param] !== undefined) throw new SandboxRefusal(400, `${param}: this token has expired`);
      exchange.json(exchange.correct());
    },
  };
}

export interface EmptyPageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** An empty page that still has a next page. If it is the last page, an endless world follows. */
export function emptyPage({ list }: EmptyPageOptions): FaultAction {
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange, exchange.world.withoutEnd());
      response.rows(list).length = 0;
      response.send();
    },
  };
}

export interface FewerRowsOptions {
  /** How many rows stay, the first ones. @default half of them, rounded down */
  readonly keep?: number | undefined;
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A page lacks its last rows. */
export function fewerRows({ keep, list }: FewerRowsOptions): FaultAction {
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const rows = response.rows(list);
      rows.length = Math.min(rows.length, keep ?? Math.floor(rows.length / 2));
      response.send();
    },
  };
}

export interface RepeatedPageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A page brings the rows of the page before, and leads on as it should; a first page stays as it is. */
export function repeatedPage({ list }: RepeatedPageOptions): FaultAction {
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const { paging } = exchange.operation.spec;
      const param = paging.kind === 'cursor' ? paging.param : undefined;
      const asked = param === undefined ? undefined : exchange.query[param];
      if (param === undefined || asked === undefined) return response.send();
      // The page before is the one whose token leads here.
      let before = new ChangedResponse(exchange.at({ [param]: undefined }));
      for (let next = tokenOf(before); next !== asked; next = tokenOf(before)) before = new ChangedResponse(exchange.at({ [param]: next }));
      const { holder, key } = response.list(list);
      holder[key] = before.rows(list);
      response.send();
    },
  };
}

function tokenOf(response: ChangedResponse): string {
  const { holder, key } = response.token();
  return holder[key] as string;
}

export interface SamePageOptions {
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** Every page of a walk repeats the rows of the first, with a new token each time. */
export function samePage({ list }: SamePageOptions): FaultAction {
  const firsts = new Map<string, readonly unknown[]>();
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange, exchange.world.withoutEnd());
      const { holder, key } = response.list(list);
      const first = firsts.get(response.walk) ?? response.rows(list);
      firsts.set(response.walk, first);
      holder[key] = first;
      response.send();
    },
  };
}

export interface OverlapOptions {
  /** How many rows of the page before come again. @default 3 */
  readonly rows?: number | undefined;
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** A page begins with the last rows of the page before. */
export function overlap({ rows = 3, list }: OverlapOptions): FaultAction {
  const before = new Map<string, readonly unknown[]>();
  return {
    play(exchange) {
      const response = new ChangedResponse(exchange);
      const own = response.rows(list);
      const last = before.get(response.walk) ?? [];
      before.set(response.walk, own.slice(-rows));
      if (own.length > 0) own.unshift(...last);
      response.send();
    },
  };
}

/** There is always a next page with new rows. */
export function endlessWalk(): FaultAction {
  return { play: (exchange) => exchange.json(exchange.wrap(exchange.data(exchange.world.withoutEnd()))) };
}
