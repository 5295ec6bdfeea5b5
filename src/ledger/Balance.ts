import { dayText } from '../../operators/kit/days.ts';
import { moneyText } from './money.ts';

/** The periods that a limit may be for, in UTC. `ever`: from the first request on. */
export const periods = ['day', 'week', 'month', 'ever'] as const;
type Period = (typeof periods)[number];

/** How much may be spent in a period, by an account or by one of its flows. */
export interface SpendLimit {
  /** Requests, or money in billionths. */
  readonly most: bigint;
  readonly of: 'requests' | 'money';
  readonly per: Period;
  readonly flow?: string | undefined;
}

/** What was spent on one operation. */
export interface Spent {
  readonly operation: string;
  readonly requests: number;
  readonly money: bigint;
  /** Requests without a page. */
  readonly failed: number;
  /** Requests that repeat one that failed. */
  readonly retries: number;
}

/** The end of requests that were reserved. */
export interface Settled {
  /** The day that they were reserved for. */
  readonly day: string;
  /** Requests and money that are given back. */
  readonly requests: number;
  readonly money: bigint;
  /** Money that they cost beyond what was reserved. */
  readonly owed: bigint;
  readonly spent: readonly Spent[];
}

/** One line of a ledger. What it reserves counts as spent at once, so a client that dies leaves nothing to clean up. */
export interface LedgerEntry {
  /** Its writer and a number that counts the entries of the writer. An entry counts once, however often it is booked. */
  readonly id: string;
  /** Milliseconds since 1970. A ledger never goes back in time, whatever the clocks do. */
  readonly at: number;
  /** The service and a digest of the key. */
  readonly balance: string;
  readonly who: string;
  readonly flow?: string | undefined;
  readonly settled?: Settled | undefined;
  /** Asks for this many requests of this price. No price: it isn't known before the response. */
  readonly ask?: { readonly requests: number; readonly price?: bigint | undefined } | undefined;
  /** Sets a limit. `most: null` removes it. */
  readonly limit?: (Omit<SpendLimit, 'most'> & { readonly most: bigint | null }) | undefined;
}

/** What an entry gets. */
export interface Grant {
  /** Requests that are reserved now, perhaps fewer than it asks for. */
  readonly requests: number;
  /** The day that they count for, and how long it lasts. After that they can't be used. */
  readonly day: string;
  readonly validMs: number;
  /** The limit that left nothing. `unknown`: the ledger was damaged, and nobody has set its limits again. */
  readonly refused?: ReachedLimit | 'unknown' | undefined;
}

export interface ReachedLimit extends SpendLimit {
  readonly spent: bigint;
  /** When its next period begins, in milliseconds since 1970. undefined: never. */
  readonly until: number | undefined;
}

interface Sum {
  /** When the period began: `2026-11-28`. */
  since: string;
  requests: number;
  money: bigint;
}

/** What a ledger knows of one account. Plain data that only `applyEntry` changes. */
export interface Balance {
  at: number;
  limits: SpendLimit[];
  /** What was spent, by period, and by flow and period. */
  readonly sums: { [scope: string]: Sum };
  /** Requests that are reserved and not settled yet. */
  reserved: number;
  /** The ledger was repaired, and a lost line may have set a limit. Nothing is granted until somebody sets one. */
  lacksLimit?: boolean | undefined;
}

export const startBalance = (): Balance => ({ at: 0, limits: [], sums: {}, reserved: 0 });

/** A block is at most this share of what is left, so that many processes can share the rest. Near the limit it is one request. */
const shareOfRest = 64n;

/** Applies an entry to its balance. The same entries in the same order always give the same grants. */
export function applyEntry(balance: Balance, entry: LedgerEntry): Grant {
  balance.at = Math.max(balance.at, entry.at);
  const { flow, settled, ask, limit } = entry;
  const { since, until } = periodOf('day', balance.at);
  if (limit !== undefined) setLimit(balance, limit);
  if (settled !== undefined) settle(balance, flow, settled);
  const grant = { day: since, validMs: until! - balance.at };
  if (ask === undefined) return { requests: 0, ...grant };
  if (balance.lacksLimit === true) return { requests: 0, ...grant, refused: 'unknown' };
  let requests = BigInt(ask.requests);
  for (const one of limitsOf(balance, flow)) {
    const left = requestsLeft(one, ask.price);
    if (left === 0n) return { requests: 0, ...grant, refused: one };
    if (left !== undefined) requests = smallest(requests, largest(left / shareOfRest, 1n));
  }
  add(balance, flow, { requests: Number(requests), money: requests * (ask.price ?? 0n) });
  balance.reserved += Number(requests);
  return { requests: Number(requests), ...grant };
}

/** How many requests of this price a limit leaves. undefined: any number. */
function requestsLeft({ of, most, spent }: ReachedLimit, price: bigint | undefined): bigint | undefined {
  const left = largest(most - spent, 0n);
  if (of === 'requests') return left;
  if (price === undefined) return smallest(left, 1n); // one at a time, until a response has stated the price
  return price === 0n ? undefined : left / price;
}

const smallest = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other);

/** The limits that apply to a flow, with what was spent. `flow` undefined: for requests of no flow. `*`: all limits. */
export function limitsOf(balance: Balance, flow: string | undefined): ReachedLimit[] {
  return balance.limits
    .filter((limit) => limit.flow === undefined || limit.flow === flow || flow === '*')
    .map((limit) => {
      const { since, until } = periodOf(limit.per, balance.at);
      const sum = balance.sums[scopeOf(limit.per, limit.flow)];
      return { ...limit, spent: sum?.since === since ? BigInt(sum[limit.of]) : 0n, until };
    });
}

function setLimit(balance: Balance, { most, ...what }: NonNullable<LedgerEntry['limit']>): void {
  balance.limits = balance.limits.filter(({ of, per, flow }) => of !== what.of || per !== what.per || flow !== what.flow);
  if (most !== null) balance.limits.push({ most, ...what });
  delete balance.lacksLimit;
}

/** Gives back what is left, in the periods for which it was reserved. What is owed counts in the current ones. */
function settle(balance: Balance, flow: string | undefined, { day, requests, money, owed, spent }: Settled): void {
  add(balance, flow, { requests: -requests, money: -money }, Date.parse(day));
  add(balance, flow, { requests: 0, money: owed });
  balance.reserved -= spent.reduce((sum, one) => sum + one.requests, requests);
}

/** Adds to what was spent. `at`: when it was reserved. Periods that have ended since then don't change. */
function add(balance: Balance, flow: string | undefined, more: Omit<Sum, 'since'>, at: number = balance.at): void {
  if (more.requests === 0 && more.money === 0n) return;
  for (const per of periods) {
    const { since } = periodOf(per, balance.at);
    if (periodOf(per, at).since !== since) continue;
    for (const scope of flow === undefined ? [scopeOf(per)] : [scopeOf(per), scopeOf(per, flow)]) {
      const sum = balance.sums[scope];
      const known = sum?.since === since ? sum : (balance.sums[scope] = { since, requests: 0, money: 0n });
      known.requests += more.requests;
      known.money += more.money;
    }
  }
}

const scopeOf = (per: Period, flow?: string): string => (flow === undefined ? per : `${per} ${flow}`);

/** The first day and the end of the period that a time is in. */
export function periodOf(per: Period, at: number): { readonly since: string; readonly until: number | undefined } {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const monday = day - ((date.getUTCDay() + 6) % 7);
  const starts = {
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    week: [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)],
    month: [Date.UTC(year, month), Date.UTC(year, month + 1)],
    ever: [0],
  } as const;
  const [from, until] = starts[per];
  return { since: dayText(from), until };
}

/** A limit in words: `5,000 requests a month for the flow coffee`. */
export function describeLimit({ most, of, per, flow }: SpendLimit): string {
  const what = of === 'money' ? moneyText(most) : `${most.toLocaleString('en-US')} ${most === 1n ? 'request' : 'requests'}`;
  return `${what}${per === 'ever' ? ' in all' : ` a ${per}`}${flow === undefined ? '' : ` for the flow ${flow}`}`;
}

/** The fields that are bigints, which JSON has as text. */
const bigintFields = new Set(['most', 'price', 'money', 'owed']);

export function toJson(value: LedgerEntry | Balance | Grant): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}

export function fromJson(text: string): unknown {
  return JSON.parse(text, (name, one: unknown) => (bigintFields.has(name) && typeof one === 'string' ? BigInt(one) : one));
}
