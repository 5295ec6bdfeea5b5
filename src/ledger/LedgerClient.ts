import { getOrInsert } from '../../operators/kit/once.ts';
import { clockText } from '../../operators/kit/days.ts';
import { type Operation, paidFor, requestPrice, type Priced, type PriceSpec } from '../contract/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { describeLimit, type Grant, type LedgerEntry, type Settled, type Spent } from './Balance.ts';
import { billionths } from './money.ts';
import { DamagedLedger, patienceMs, type SpendLedger } from './SpendLedger.ts';

interface LedgerClientOptions {
  readonly open: () => Promise<SpendLedger>;
  /** A name that no other client has, now or ever. */
  readonly writer: string;
  readonly balance: string;
  readonly who: string;
  readonly price: PriceSpec | undefined;
  readonly clock: {
    now(): number;
    wall(): number;
    after(ms: number, run: () => void, idle?: 'idle'): () => void;
  };
}

/** What is left of the requests that were reserved together. */
interface Block {
  readonly flow: string | undefined;
  readonly day: string;
  /** When the day ends, on the client's clock. After that the block can't be used. */
  readonly until: number;
  requests: number;
  money: bigint;
}

/** A request that may be sent, and what is reserved for it. */
export interface Reserved {
  readonly block: Block;
  readonly money: bigint;
}

/** Why nothing may be sent, as a text, and until when. */
export interface Unspendable {
  readonly because: string;
  readonly until?: number | undefined;
}

/** How a reserved request ended. */
export interface Paid extends Priced {
  readonly operation: Operation;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly isRetry: boolean;
}

type Changeable<T> = { -readonly [field in keyof T]: T[field] };

/** What is settled for one flow and day, until it is booked. */
interface Account extends Omit<Changeable<Settled>, 'spent'> {
  readonly flow: string | undefined;
  readonly spent: Map<string, Changeable<Spent>>;
}

/** A refusal of the ledger, its time, and the lowest price that it is for. */
interface Refusal extends Unspendable {
  readonly at: number;
  readonly price: bigint;
}

/** How long a refusal counts. After that the ledger is asked again, because others may have given something back. */
const refusedMs = 1000;
/** How long a client without requests keeps its block. */
const idleMs = 5000;
/** How long to wait before a ledger that failed is tried again. Each wait is longer by this factor. */
const retryMs = 200;
const retryFactor = 3;
/** How long to try to give back what is left, if the ledger failed before. */
const stillAwayMs = 500;
/**
 * An attempt to book has half of the time that is left, so that the next one replaces a connection that hangs, and at least this long.
 * With less, the last one would fail for lack of time, and hide why the others failed.
 */
const leastMs = 400;

/**
 * A client's side of the ledger. Requests are taken from a reserved block. When that is empty, the next one is reserved. Entries are
 * booked one at a time. If booking fails, the entry may have been booked all the same, so it is booked again before any other.
 */
export class LedgerClient {
  readonly #options: LedgerClientOptions;
  #flow: string | undefined;
  #ledger: Promise<SpendLedger> | undefined;
  #block: Block | undefined;
  /** The highest price that a response of each operation has stated. */
  readonly #statedPrices = new Map<string, bigint>();
  readonly #accounts = new Map<string, Account>();
  /** The entries to book, in this order, and when each was written, on the client's clock. */
  readonly #outbox: { readonly entry: LedgerEntry; readonly since: number }[] = [];
  #written = 0;
  #waiting: { readonly price: bigint | undefined; readonly resolve: (found: Reserved | Unspendable) => void }[] = [];
  #isServing = false;
  #turn: Promise<void> = Promise.resolve();
  #refusal: Refusal | undefined;
  #inFlight = 0;
  #cancelIdle: (() => void) | undefined;

  constructor(options: LedgerClientOptions) {
    this.#options = options;
  }

  /** Later requests are for this flow. What was reserved for the flow before is given back. */
  bookTo(flow: string | undefined): void {
    if (flow === this.#flow) return;
    this.#flow = flow;
    void this.#inTurn(() => this.#giveBack());
  }

  /** Takes what a request needs, at once or after the next block is reserved. `polls`: it only checks on a job that was started. */
  take(operation: Operation, polls: boolean): Reserved | Promise<Reserved | Unspendable> {
    const price = this.#priceOf(operation, polls);
    this.#cancelIdle?.();
    const taken = this.#takeNow(price);
    if (taken !== undefined) return taken;
    return new Promise((resolve) => {
      this.#waiting.push({ price, resolve });
      if (this.#isServing) return;
      this.#isServing = true;
      void this.#inTurn(() => this.#serve());
    });
  }

  /** Says that a request which was taken has ended. */
  settle({ block, money }: Reserved, { operation, sent, failed, isRetry, ...response }: Paid): void {
    const { name } = operation;
    const stated = sent ? paidFor(this.#options.price, operation, response, failed) : 0;
    const paid = stated === undefined ? money : billionths(stated);
    const account = this.#accountOf(block);
    if (paid < money) account.money += money - paid;
    else account.owed += paid - money;
    if (sent) noteIn(account.spent, { operation: name, requests: 1, money: paid, failed: Number(failed), retries: Number(isRetry) });
    else account.requests += 1;
    // the next block is reserved with the higher price
    if (paid > money && this.#block !== undefined) this.#closeBlock(this.#block);
    if (stated !== undefined && sent && paid > (this.#statedPrices.get(name) ?? -1n)) this.#statedPrices.set(name, paid);
    this.#inFlight -= 1;
    this.#restIfIdle();
  }

  /** Books what was spent, and gives back the rest. */
  async close(): Promise<void> {
    this.#cancelIdle?.();
    await this.#inTurn(() => this.#giveBack());
    const ledger = await this.#ledger?.catch(() => undefined);
    await ledger?.close();
    this.#ledger = undefined;
  }

  /** The price of a request. undefined: only responses state it, and none has come yet. */
  #priceOf(operation: Operation, polls: boolean): bigint | undefined {
    const price = requestPrice(this.#options.price, operation, polls);
    return price === undefined ? this.#statedPrices.get(operation.name) : billionths(price);
  }

  #takeNow(price: bigint = 0n): Reserved | undefined {
    const block = this.#block;
    if (block === undefined || block.flow !== this.#flow || block.requests < 1 || block.money < price) return undefined;
    if (this.#options.clock.now() >= block.until) return undefined;
    block.requests -= 1;
    block.money -= price;
    this.#inFlight += 1;
    return { block, money: price };
  }

  #restIfIdle(): void {
    if (this.#inFlight > 0 || this.#waiting.length > 0) return;
    this.#cancelIdle?.();
    this.#cancelIdle = this.#options.clock.after(idleMs, () => void this.#inTurn(() => this.#giveBack()), 'idle');
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return (this.#turn = this.#turn.then(work));
  }

  /** Reserves blocks until no request waits. */
  async #serve(): Promise<void> {
    for (this.#serveWaiting(); this.#waiting.length > 0; this.#serveWaiting()) {
      // An older entry may ask already. A block is as large as what is in flight, because all of it stays spent if the process is killed.
      if (this.#outbox.length === 0) this.#write({ requests: this.#inFlight + this.#waiting.length, price: this.#waiting[0]!.price });
      await this.#bookAll();
    }
    this.#isServing = false; // before the promise is settled: a request that came in between would wait for ever
    this.#restIfIdle();
  }

  /** Resolves the waiting requests that can be served from the block, and those that are refused. */
  #serveWaiting(): void {
    this.#waiting = this.#waiting.filter(({ price, resolve }) => {
      const found = this.#takeNow(price) ?? this.#refusalOf(price);
      if (found !== undefined) resolve(found);
      return found === undefined;
    });
  }

  #refusalOf(price: bigint = 0n): Unspendable | undefined {
    const refusal = this.#refusal;
    return refusal !== undefined && price >= refusal.price && this.#options.clock.now() < refusal.at + refusedMs ? refusal : undefined;
  }

  async #giveBack(): Promise<void> {
    const withinMs = this.#outbox.length > 0 ? stillAwayMs : patienceMs;
    this.#write();
    await this.#bookAll(withinMs);
    if (this.#block === undefined) return;
    this.#write(); // an older entry that asked has brought a new block
    await this.#bookAll();
  }

  #closeBlock(block: Block): void {
    const account = this.#accountOf(block);
    account.requests += block.requests;
    account.money += block.money;
    this.#block = undefined;
  }

  #accountOf({ flow, day }: Block): Account {
    return getOrInsert(this.#accounts, `${day} ${flow ?? ''}`, () => ({ flow, day, requests: 0, money: 0n, owed: 0n, spent: new Map() }));
  }

  /** Writes entries that settle everything, and perhaps ask for the next block. They wait in the outbox. */
  #write(ask?: LedgerEntry['ask']): void {
    if (this.#block !== undefined) this.#closeBlock(this.#block);
    for (const { flow, spent, ...rest } of this.#accounts.values()) {
      if (rest.requests > 0 || rest.money > 0n || rest.owed > 0n || spent.size > 0)
        this.#post({ flow, settled: { ...rest, spent: [...spent.values()] } });
    }
    this.#accounts.clear();
    const last = this.#outbox.at(-1)?.entry;
    if (ask === undefined) return;
    if (last !== undefined && last.flow === this.#flow) this.#outbox.push({ ...this.#outbox.pop()!, entry: { ...last, ask } });
    else this.#post({ flow: this.#flow, ask });
  }

  #post(entry: Pick<LedgerEntry, 'flow' | 'settled' | 'ask'>): void {
    const { writer, balance, who, clock } = this.#options;
    const id = `${writer}.${(this.#written += 1)}`;
    this.#outbox.push({ entry: { id, at: clock.wall(), balance, who, ...entry }, since: clock.now() });
  }

  /** Books all entries of the outbox. Retries for `withinMs`. An entry that can't be booked stays there. */
  async #bookAll(withinMs: number = patienceMs): Promise<void> {
    const { open, clock } = this.#options;
    const end = clock.now() + withinMs;
    for (let waitMs = retryMs; this.#outbox.length > 0;) {
      const { entry, since } = this.#outbox[0]!;
      try {
        const ledger = await (this.#ledger ??= open());
        this.#granted(entry, since, await ledger.book(entry, Math.max(leastMs, (end - clock.now()) / 2)));
        this.#outbox.shift();
      } catch (error) {
        const leftMs = end - clock.now();
        if (leftMs <= 0 || error instanceof DamagedLedger) {
          this.#refusal = { because: `the ledger can't be used: ${messageOf(error)}`, at: clock.now(), price: 0n };
          return;
        }
        await new Promise<void>((resolve) => clock.after(Math.min(waitMs, leftMs), resolve));
        waitMs *= retryFactor;
      }
    }
  }

  #granted({ flow, ask }: LedgerEntry, since: number, { requests, day, validMs, refused }: Grant): void {
    if (ask === undefined) return;
    const { price = 0n } = ask;
    if (refused !== undefined) this.#refusal = { ...refusalText(refused), at: this.#options.clock.now(), price };
    else {
      if (this.#block !== undefined) this.#closeBlock(this.#block);
      this.#block = { flow, day, until: since + validMs, requests, money: BigInt(requests) * price };
    }
  }
}

function noteIn(spent: Account['spent'], { operation, ...more }: Spent): void {
  const sum = getOrInsert(spent, operation, () => ({ operation, requests: 0, money: 0n, failed: 0, retries: 0 }));
  sum.requests += more.requests;
  sum.money += more.money;
  sum.failed += more.failed;
  sum.retries += more.retries;
}

function refusalText(limit: NonNullable<Grant['refused']>): Unspendable {
  if (limit === 'unknown')
    return {
      because: 'the ledger was damaged, and its limits are unknown: set one with trawler spend limit, or trawler spend limit none/month',
    };
  const { until } = limit;
  const when = until === undefined ? '' : `, until ${clockText(until, 16)} UTC`;
  return { because: `the limit of ${describeLimit(limit)} is reached${when}`, until };
}
