import { ChangedResponse, changed, type ListOptions, type PlayFault } from './ChangedResponse.ts';
import { pagingRequestOf } from '../../../src/contract/index.ts';
import type { SandboxCall } from '../../../src/sandbox/SandboxCall.ts';

export interface TokenOptions {
  /** What replaces the token. @default 'missing' */
  readonly as?: 'missing' | 'null' | 'empty' | 'number' | 'object' | undefined;
}

/** The token of the next page is missing, or isn't text. */
export function token({ as = 'missing' }: TokenOptions): PlayFault {
  return changed((response) => {
    const { holder, key } = response.token();
    if (as === 'missing') delete holder[key];
    else holder[key] = { null: null, empty: '', number: 12_345, object: { token: 'x' } }[as];
  });
}

/** A page returns the same token that requested it. A first page doesn't change. */
export function repeatedToken(): PlayFault {
  return changed((response, exchange) => {
    const { holder, key } = response.token();
    holder[key] = requestedPage(exchange) ?? holder[key];
  });
}

export interface TokenRingOptions {
  /** The number of tokens before the first repeats. @default 2 */
  readonly length?: number | undefined;
}

/** The tokens of a walk repeat in a cycle. */
export function tokenRing({ length = 2 }: TokenRingOptions): PlayFault {
  const rings = new Map<string, unknown[]>();
  return changed((response) => {
    const { holder, key } = response.token();
    const ring = rings.get(response.walk) ?? [];
    rings.set(response.walk, ring);
    if (ring.length < length && holder[key] !== undefined) ring.push(holder[key]);
    else holder[key] = ring[0];
  });
}

export interface FewerRowsOptions extends ListOptions {
  /** How many rows stay, the first ones. @default half of them, rounded down */
  readonly keep?: number | undefined;
}

/** A page lacks its last rows. */
export function fewerRows({ keep, list }: FewerRowsOptions): PlayFault {
  return changed((response) => {
    const rows = response.rows(list);
    rows.length = Math.min(rows.length, keep ?? Math.floor(rows.length / 2));
  });
}

/** A page brings the rows of the page before, and leads on as it should; a first page stays as it is. */
export function repeatedPage({ list }: ListOptions): PlayFault {
  return changed((response, exchange) => {
    const param = pageParam(exchange);
    const requested = requestedPage(exchange);
    if (requested === undefined || !response.hasTokens) return;
    // The page before is the one whose token leads here.
    let before = new ChangedResponse(exchange, undefined, { ...exchange.query, [param]: undefined });
    for (let next = tokenOf(before); next !== requested; next = tokenOf(before)) {
      if (next === undefined) return; // an empty page that came before has led beyond the end
      before = new ChangedResponse(exchange, undefined, { ...exchange.query, [param]: next });
    }
    const { holder, key } = response.list(list);
    holder[key] = before.rows(list);
  });
}

/** The parameter that says which page is wanted, and its value. */
function pageParam({ operation }: SandboxCall): string {
  return pagingRequestOf(operation.spec.paging).params[0] ?? '';
}

function requestedPage(exchange: SandboxCall): string | number | boolean | undefined {
  return exchange.query[pageParam(exchange)];
}

function tokenOf(response: ChangedResponse): string | undefined {
  const { holder, key } = response.token();
  return holder[key] as string | undefined;
}

/** Every page of a walk repeats the rows of the first, with a new token each time. */
export function samePage({ list }: ListOptions): PlayFault {
  const firsts = new Map<string, readonly unknown[]>();
  return changed((response) => {
    const { holder, key } = response.list(list);
    const first = firsts.get(response.walk) ?? response.rows(list);
    firsts.set(response.walk, first);
    holder[key] = first;
  }, 'endless');
}

export interface OverlapOptions extends ListOptions {
  /** How many rows of the page before come again. @default 3 */
  readonly rows?: number | undefined;
}

/** A page begins with the last rows of the page before. */
export function overlap({ rows = 3, list }: OverlapOptions): PlayFault {
  const before = new Map<string, readonly unknown[]>();
  return changed((response) => {
    const own = response.rows(list);
    const last = before.get(response.walk) ?? [];
    before.set(response.walk, own.slice(-rows));
    if (own.length > 0) own.unshift(...last);
  });
}

/** There is always a next page with new rows. */
export function endlessWalk(): PlayFault {
  return (exchange) => exchange.json(exchange.wrap(exchange.data(exchange.world.withoutEnd())));
}
