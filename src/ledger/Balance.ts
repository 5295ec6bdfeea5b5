import { dayText } from '../../operators/kit/days.ts';

/** What the limits of a ledger count by, in UTC. `ever`: from the first request on. */
export const periods = ['day', 'week', 'month', 'ever'] as const;
type Period = (typeof periods)[number];

/** The most that may be spent in a period: for all of an account, or for one flow. */
export interface SpendLimit {
  readonly most: number;
  readonly of: 'requests' | 'money';
  readonly per: Period;
  readonly flow?: string | undefined;
}

/** What was spent on one operation. */
export interface Spent {
  readonly operation: string;
  readonly requests: number;
  readonly money: number;
  /** Requests that brought no page. */
  readonly failed: number;
  /** Requests that repeat one that failed. */
  readonly retries: number;
}

/** One line of a ledger. What it reserves counts as spent from then on, so nothing has to be known of who died. */
export interface LedgerEntry {
  /** Milliseconds since 1970. A ledger never goes back in time, whatever the clocks do. */
  readonly at: number;
  /** The service and a digest of the key. */
  readonly balance: string;
  readonly who: string;
  readonly flow?: string | undefined;
  /** Wants this many requests of this price. undefined: nobody knows the price before the response. */
  readonly ask?: { readonly requests: number; readonly price: number | undefined } | undefined;
  /** Gives back what is left of a reservation, if it is still the same day. Negative money is owed, and always counts. */
  readonly back?: { readonly requests: number; readonly money: number; readonly day: string } | undefined;
  /** What became of reserved requests. */
  readonly spent?: readonly Spent[] | undefined;
  /** From now on. */
  readonly limit?: (Omit<SpendLimit, 'most'> & { readonly most: number | null }) | undefined;
}

/** What an entry got of what it asks for. */
export interface Grant {
  readonly requests: number;
  /** The day that it counts for, and how long that lasts. After it, the reservation is worth nothing. */
  readonly day: string;
  readonly validMs: number;
  /** What the entry adds to what is reserved or spent. */
  readonly added: { readonly requests: number; readonly money: number };
  /** The limit that left nothing. */
  readonly reached?: ReachedLimit | undefined;
}

export interface ReachedLimit extends SpendLimit {
  readonly spent: number;
  /** When it begins anew, in milliseconds since 1970. undefined: never. */
  readonly until: number | undefined;
}

interface Sum {
  /** When the period began: `2026-11-28`. */
  since: string;
  requests: number;
  money: number;
}

/** What a ledger knows of one account. It is plain data. Only `book` changes it. */
export interface Balance {
  at: number;
  limits: SpendLimit[];
  /** By period, and by flow and period. */
  readonly sums: { [scope: string]: Sum };
}

export const startBalance = (): Balance => ({ at: 0, limits: [], sums: {} });

/** Blocks are a small share of what is left, so that many processes share the rest: single requests near the limit. */
const shareOfRest = 64;

/** Books an entry: the same entries in the same order always give the same grants. */
export function book(balance: Balance, entry: LedgerEntry): Grant {
  balance.at = Math.max(balance.at, entry.at);
  const { at } = balance;
  const { flow, ask, back, limit } = entry;
  const day = periodOf('day', at);
  if (limit !== undefined) setLimit(balance, limit);
  const isValid = back?.day === day.since;
  const returned = {
    requests: isValid ? back.requests : 0,
    money: back === undefined ? 0 : isValid ? back.money : Math.min(back.money, 0),
  };
  add(balance, flow, -returned.requests, -returned.money);
  const rooms = ask === undefined ? [] : roomsFor(balance, flow, ask.price);
  const requests = Math.min(ask?.requests ?? 0, ...rooms.map(({ room }) => Math.min(Math.max(1, Math.floor(room / shareOfRest)), room)));
  const money = exact(requests * (ask?.price ?? 0));
  add(balance, flow, requests, money);
  return {
    requests,
    day: day.since,
    validMs: day.until! - at,
    added: { requests: requests - returned.requests, money: exact(money - returned.money) },
    reached: requests === 0 ? rooms.find(({ room }) => room === 0)?.limit : undefined,
  };
}

/** How much each limit leaves, in requests of this price. */
function roomsFor(balance: Balance, flow: string | undefined, price: number | undefined): { room: number; limit: ReachedLimit }[] {
  return limitsOf(balance, flow).map((limit) => {
    const left = limit.most - limit.spent;
    if (limit.of === 'requests') return { room: Math.max(0, left), limit };
    const isFree = price === 0 || (price === undefined && left > 0);
    return { room: isFree ? Infinity : Math.max(0, Math.floor(left / (price ?? Infinity) + 1e-9)), limit };
  });
}

/** The limits of an account that hold for a flow, with what was spent. undefined: for requests of no flow. `*`: all limits. */
export function limitsOf(balance: Balance, flow: string | undefined): ReachedLimit[] {
  return balance.limits
    .filter((limit) => limit.flow === undefined || limit.flow === flow || flow === '*')
    .map((limit) => {
      const { since, until } = periodOf(limit.per, balance.at);
      const sum = balance.sums[scopeOf(limit.per, limit.flow)];
      return { ...limit, spent: sum?.since === since ? sum[limit.of] : 0, until };
    });
}

function setLimit(balance: Balance, { most, ...what }: NonNullable<LedgerEntry['limit']>): void {
  balance.limits = balance.limits.filter(({ of, per, flow }) => of !== what.of || per !== what.per || flow !== what.flow);
  if (most !== null) balance.limits.push({ most, ...what });
}

function add(balance: Balance, flow: string | undefined, requests: number, money: number): void {
  if (requests === 0 && money === 0) return;
  for (const per of periods) {
    const { since } = periodOf(per, balance.at);
    for (const scope of flow === undefined ? [scopeOf(per)] : [scopeOf(per), scopeOf(per, flow)]) {
      const sum = balance.sums[scope];
      const known = sum?.since === since ? sum : (balance.sums[scope] = { since, requests: 0, money: 0 });
      known.requests += requests;
      known.money = exact(known.money + money);
    }
  }
}

const scopeOf = (per: Period, flow?: string): string => (flow === undefined ? per : `${per} ${flow}`);

/** Sums of decimal prices without the noise of binary fractions. */
export function exact(money: number): number {
  return Math.round(money * 1e9) / 1e9;
}

/** The period that a moment is in: its first day, and its end. */
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
  const amount = most.toLocaleString('en-US', { maximumFractionDigits: 9 });
  const what = of === 'money' ? amount : `${amount} ${most === 1 ? 'request' : 'requests'}`;
  return `${what}${per === 'ever' ? ' in all' : ` a ${per}`}${flow === undefined ? '' : ` for the flow ${flow}`}`;
}
