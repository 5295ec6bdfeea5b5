import type { IncomingHttpHeaders } from 'node:http';
import { madeIn } from '../../operators/kit/once.ts';
import { clockText } from '../../operators/kit/days.ts';
import { paidFor, requestPrice, type PriceSpec } from '../contract/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { describeLimit, exact, type Grant, type LedgerEntry, type ReachedLimit, type Spent } from './Balance.ts';
import type { SpendLedger } from './SpendLedger.ts';

interface PurseOptions {
  readonly open: () => Promise<SpendLedger>;
  readonly balance: string;
  readonly who: string;
  readonly price: PriceSpec | undefined;
  readonly clock: {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, idle?: 'idle'): () => void;
  };
}

/** A request that may be sent: what is reserved for it, and for which day. */
export interface Reserved {
  readonly money: number;
  readonly day: string;
}

/** Why nothing may be sent, in words, and until when. */
export interface Unspendable {
  readonly because: string;
  readonly until?: number | undefined;
}

/** What became of a reserved request. */
interface Settlement {
  readonly operation: string;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly isRetry: boolean;
  readonly headers: IncomingHttpHeaders;
}

type Tally = { -readonly [field in keyof Spent]: Spent[field] };

/** A refusal, and when the ledger gave it. */
interface DatedRefusal extends Unspendable {
  readonly at: number;
}

/** The requests that are reserved at once while much is left. */
const blockSize = 500;
/** How long a refusal holds before the ledger is asked again: others may have given something back. */
const refusedMs = 1000;
/** A client without requests keeps its block for so long. */
const idleMs = 5000;
/** How long to wait before a ledger that is away is tried again. */
const retryMs = [200, 1000, 3000];

/** What a client has reserved in a ledger. It takes its requests from there, and reserves the next block when that is empty. */
export class Purse {
  #flow: string | undefined;
  readonly #options: PurseOptions;
  #ledger: Promise<SpendLedger> | undefined;
  #left = { requests: 0, money: 0, day: '', until: -Infinity };
  readonly #prices = new Map<string, number>();
  #spent = new Map<string, Tally>();
  #waiting: { readonly price: number | undefined; readonly resolve: (found: Reserved | Unspendable) => void }[] = [];
  #isAsking = false;
  #asking: Promise<void> = Promise.resolve();
  #giving: Promise<void> = Promise.resolve();
  #refused: DatedRefusal | undefined;
  #inFlight = 0;
  #cancelIdle: (() => void) | undefined;

  constructor(options: PurseOptions) {
    this.#options = options;
  }

  /** The flow that is run from now on. What was spent before, and the block, are those of the one before. */
  bookTo(flow: string | undefined): void {
    this.#giving = this.#giveBack();
    this.#flow = flow;
  }

  /** Takes what a request needs: at once, or when it is reserved. */
  take(operation: string): Reserved | Promise<Reserved | Unspendable> {
    const price = this.#prices.get(operation) ?? requestPrice(this.#options.price, operation);
    this.#cancelIdle?.();
    return (
      this.#takeNow(price) ??
      new Promise((resolve) => {
        this.#waiting.push({ price, resolve });
        if (!this.#isAsking) this.#asking = this.#ask();
      })
    );
  }

  /** A request that was taken is over. */
  settle({ money, day }: Reserved, { operation, sent, failed, isRetry, headers }: Settlement): void {
    const { price } = this.#options;
    const told = sent ? paidFor(price, headers, failed) : 0;
    const paid = told ?? money;
    this.#inFlight -= 1;
    if (told !== undefined && requestPrice(price, operation) === undefined && sent && !failed) this.#prices.set(operation, told);
    if (day === this.#left.day || paid > money) this.#left.money = exact(this.#left.money + money - paid);
    if (!sent && day === this.#left.day) this.#left.requests += 1;
    if (sent) this.#note({ operation, requests: 1, money: paid, failed: Number(failed), retries: Number(isRetry) });
    if (this.#inFlight > 0 || this.#waiting.length > 0) return;
    this.#cancelIdle?.();
    this.#cancelIdle = this.#options.clock.after(idleMs, () => void this.#giveBack(), 'idle');
  }

  /** Books what was spent, and gives back the rest. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    await this.#asking;
    await this.#giving;
    await this.#giveBack();
    await (await this.#ledger)?.close();
    this.#ledger = undefined;
  }

  #note({ operation, requests, money, failed, retries }: Spent): void {
    const spent = madeIn(this.#spent, operation, () => ({ operation, requests: 0, money: 0, failed: 0, retries: 0 }));
    spent.requests += requests;
    spent.money += money;
    spent.failed += failed;
    spent.retries += retries;
  }

  #takeNow(price: number = 0): Reserved | undefined {
    const { requests, money, day, until } = this.#left;
    if (requests < 1 || money < price || this.#options.clock.now() >= until) return undefined;
    this.#left.requests -= 1;
    this.#left.money = exact(money - price);
    this.#inFlight += 1;
    return { money: price, day };
  }

  /** Reserves until nobody waits. */
  async #ask(): Promise<void> {
    const { clock } = this.#options;
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      if (this.#refused === undefined || clock.now() >= this.#refused.at + refusedMs) this.#refused = await this.#reserve();
      const refused = this.#refused;
      if (refused !== undefined) for (const { resolve } of this.#waiting.splice(0)) resolve(refused);
      this.#waiting = this.#waiting.filter(({ price, resolve }) => {
        const reserved = this.#takeNow(price);
        if (reserved !== undefined) resolve(reserved);
        return reserved === undefined;
      });
    }
    this.#isAsking = false; // here, and not once the promise is settled: a request that comes in between would wait for ever
  }

  /** Reserves a block, in as many attempts as an absent ledger deserves. Returns why there is none. */
  async #reserve(): Promise<DatedRefusal | undefined> {
    const { clock } = this.#options;
    const prices = this.#waiting.map(({ price }) => price);
    const price = prices.includes(undefined) ? undefined : Math.max(...(prices as readonly number[]));
    for (const waitMs of [...retryMs, undefined]) {
      try {
        const { requests, day, validMs, reached } = await this.#book({ ask: { requests: blockSize, price } });
        if (requests === 0) return { ...reachedText(reached!), at: clock.now() };
        this.#left = { requests, money: exact(requests * (price ?? 0)), day, until: clock.now() + validMs };
        return undefined;
      } catch (error) {
        if (waitMs === undefined) return { because: `the ledger can't be used: ${messageOf(error)}`, at: clock.now() };
        await new Promise<void>((resolve) => clock.after(waitMs, resolve));
      }
    }
    return undefined;
  }

  async #giveBack(): Promise<void> {
    const { requests, money } = this.#left;
    if (requests === 0 && money === 0 && this.#spent.size === 0) return;
    await this.#book({}).catch(() => undefined); // what isn't given back stays reserved
  }

  /** Books what was spent since the last time, and gives back what is left. If that fails, it stays reserved. */
  async #book(entry: Pick<LedgerEntry, 'ask'>): Promise<Grant> {
    const { open, balance, who, clock } = this.#options;
    const flow = this.#flow;
    const { requests, money, day } = this.#left;
    const spent = Array.from(this.#spent.values(), (one) => ({ ...one, money: exact(one.money) }));
    this.#left = { requests: 0, money: 0, day: '', until: -Infinity };
    this.#spent = new Map();
    try {
      const ledger = await (this.#ledger ??= open());
      const back = requests === 0 && money === 0 ? undefined : { requests, money, day };
      return await ledger.book({ at: clock.wall(), balance, who, flow, ...entry, back, spent: spent.length === 0 ? undefined : spent });
    } catch (error) {
      for (const one of spent) this.#note(one);
      throw error;
    }
  }
}

function reachedText(limit: ReachedLimit): Unspendable {
  const { until } = limit;
  const when = until === undefined ? '' : `, until ${clockText(until, 16)} UTC`;
  return { because: `the limit of ${describeLimit(limit)} is reached${when}`, until };
}
