import { getOrInsert } from '../../operators/kit/once.ts';
import { clockText } from '../../operators/kit/days.ts';
import { type Operation, paidFor, requestPrice, type Priced, type PriceSpec } from '../contract/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { describeLimit, type Grant, type LedgerEntry, type Settled, type Spent } from './Balance.ts';
import { billionths } from './money.ts';
import { DamagedLedger, patienceMs, type SpendLedger } from './SpendLedger.ts';

interface PurseOptions {
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

/** What is left of the requests that were reserved at once. */
interface Block {
  readonly flow: string | undefined;
  readonly day: string;
  /** On the client's clock. From then on it is another day, and the block is worth nothing. */
  readonly until: number;
  requests: number;
  money: bigint;
}

/** A request that may be sent, and what is reserved for it. */
export interface Reserved {
  readonly block: Block;
  readonly money: bigint;
}

/** Why nothing may be sent, in words, and until when. */
export interface Unspendable {
  readonly because: string;
  readonly until?: number | undefined;
}

/** What became of a reserved request. */
export interface Paid extends Priced {
  readonly operation: Operation;
  readonly sent: boolean;
  readonly failed: boolean;
  readonly isRetry: boolean;
}

type Changeable<T> = { -readonly [field in keyof T]: T[field] };

/** What is settled of the blocks of one flow and day, until it is booked. */
interface Account extends Omit<Changeable<Settled>, 'spent'> {
  readonly flow: string | undefined;
  readonly spent: Map<string, Changeable<Spent>>;
}

/** A refusal, when the ledger gave it, and from which price on it holds. */
interface Refusal extends Unspendable {
  readonly at: number;
  readonly price: bigint;
}

/** How long a refusal holds before the ledger is asked again: others may have given something back. */
const refusedMs = 1000;
/** A client without requests keeps its block for so long. */
const idleMs = 5000;
/** How long to wait before a ledger that is away is tried again. The wait grows by this factor. */
const retryMs = 200;
const retryFactor = 3;
/** How long to try to give back what is left to a ledger that was away already. */
const stillAwayMs = 500;

/**
 * What a client has reserved in a ledger. It takes its requests from there, and reserves the next block when that is empty. It books one
 * entry at a time. One whose booking failed may have been booked all the same, so it is booked again before any other.
 */
export class LedgerClient {
  readonly #options: PurseOptions;
  #flow: string | undefined;
  #ledger: Promise<SpendLedger> | undefined;
  #block: Block | undefined;
  /** The most that a response of an operation has said it cost. */
  readonly #told = new Map<string, bigint>();
  readonly #accounts = new Map<string, Account>();
  /** What is to be booked, in this order, and when each was written, on the client's clock. */
  readonly #outbox: { readonly entry: LedgerEntry; readonly since: number }[] = [];
  #written = 0;
  #waiting: { readonly price: bigint | undefined; readonly resolve: (found: Reserved | Unspendable) => void }[] = [];
  #isServing = false;
  #turn: Promise<void> = Promise.resolve();
  #refusal: Refusal | undefined;
  #inFlight = 0;
  #cancelIdle: (() => void) | undefined;

  constructor(options: PurseOptions) {
    this.#options = options;
  }

  /** The flow that is run from now on. What was reserved before is that of the one before. */
  bookTo(flow: string | undefined): void {
    if (flow === this.#flow) return;
    this.#flow = flow;
    void this.#inTurn(() => this.#giveBack());
  }

  /** Takes what a request needs: at once, or when it is reserved. `polls`: it asks for a job that was started. */
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

  /** A request that was taken is over. */
  settle({ block, money }: Reserved, { operation, sent, failed, isRetry, ...response }: Paid): void {
    const { name } = operation;
    const told = sent ? paidFor(this.#options.price, operation, response, failed) : 0;
    const paid = told === undefined ? money : billionths(told);
    const account = this.#accountOf(block);
    if (paid < money) account.money += money - paid;
    else account.owed += paid - money;
    if (sent) noteIn(account.spent, { operation: name, requests: 1, money: paid, failed: Number(failed), retries: Number(isRetry) });
    else account.requests += 1;
    // What the others of the block will cost is known better now.
    if (paid > money && this.#block !== undefined) this.#closeBlock(this.#block);
    if (told !== undefined && sent && paid > (this.#told.get(name) ?? -1n)) this.#told.set(name, paid);
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

  /** undefined: only responses tell it, and none has. */
  #priceOf(operation: Operation, polls: boolean): bigint | undefined {
    const price = requestPrice(this.#options.price, operation, polls);
    return price === undefined ? this.#told.get(operation.name) : billionths(price);
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

  /** Reserves until nobody waits. */
  async #serve(): Promise<void> {
    for (this.#answer(); this.#waiting.length > 0; this.#answer()) {
      // An older entry may be one that asks. A block is as large as what is in flight, since it stays spent if the process is killed.
      if (this.#outbox.length === 0) this.#write({ requests: this.#inFlight + this.#waiting.length, price: this.#waiting[0]!.price });
      await this.#bookAll();
    }
    this.#isServing = false; // here, and not once the promise is settled: a request that comes in between would wait for ever
    this.#restIfIdle();
  }

  /** Gives what there is to those who wait, and tells those who get nothing. */
  #answer(): void {
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
    this.#write(); // an older entry has brought it
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

  /** Writes what is settled, and what is asked for, as entries. */
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

  /** Books what is written, in as many attempts as an absent ledger deserves. What can't be booked stays. */
  async #bookAll(withinMs: number = patienceMs): Promise<void> {
    const { open, clock } = this.#options;
    const end = clock.now() + withinMs;
    for (let waitMs = retryMs; this.#outbox.length > 0;) {
      const { entry, since } = this.#outbox[0]!;
      try {
        const ledger = await (this.#ledger ??= open());
        this.#granted(entry, since, await ledger.book(entry, end - clock.now()));
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
