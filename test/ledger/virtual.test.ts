import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEntry, periodOf, startBalance, type Balance, type Grant, type LedgerEntry } from '../../src/ledger/Balance.ts';
import { billionths } from '../../src/ledger/money.ts';
import { FileLedger } from '../../src/ledger/FileLedger.ts';
import { LedgerClient, type Reserved } from '../../src/ledger/LedgerClient.ts';
import type { SpendLedger } from '../../src/ledger/SpendLedger.ts';
import { NetworkError } from '../../src/errors/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { VirtualClock } from '../../src/testing/index.ts';

// Many clients of one ledger in virtual time, with an oracle: what the service itself counts and charges.

const balance = 'sold 1';
const { rows: operation } = defineService({
  name: 'sold',
  operations: { rows: defineOperation({ get: '/rows', row: { id: 'string' }, rows: 'rows' }) },
}).operations;
const secondMs = 1000;
const dayMs = 86_400_000;

type Step =
  | {
      readonly do: 'ask';
      readonly client: number;
      readonly requests: number;
      readonly ms: number;
      readonly unsent: boolean;
      readonly failed: boolean;
    }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'kill'; readonly client: number }
  | { readonly do: 'jump'; readonly client: number; readonly ms: number }
  | { readonly do: 'away'; readonly ms: number; readonly how: 'before' | 'after' | 'half' }
  | { readonly do: 'flow'; readonly client: number; readonly flow: string | undefined };

interface World {
  readonly kind: 'file' | 'database';
  readonly of: 'requests' | 'money';
  readonly per: 'day' | 'month' | 'ever';
  readonly most: number;
  readonly price: number;
  /** Only responses tell it, and it varies. */
  readonly isTold: boolean;
  readonly steps: readonly Step[];
}

const client = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      client,
      requests: fc.integer({ min: 1, max: 30 }),
      ms: fc.constantFrom(0, 1, 50, 900, 7000),
      unsent: fc.boolean(),
      failed: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 300, 2500, 8000, 11_000, dayMs / 2, 3 * dayMs) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), client }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), client, ms: fc.constantFrom(-3 * dayMs, -60_000, 60_000, dayMs) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('away' as const),
      ms: fc.constantFrom(1, 500, 3000, 9000),
      how: fc.constantFrom('before' as const, 'after' as const, 'half' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flow' as const), client, flow: fc.constantFrom(undefined, 'a', 'b') }) },
);
const world: fc.Arbitrary<World> = fc.record({
  kind: fc.constantFrom('file' as const, 'database' as const),
  of: fc.constantFrom('requests' as const, 'money' as const),
  per: fc.constantFrom('day' as const, 'month' as const, 'ever' as const),
  most: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 400, max: 40_000 })),
  price: fc.oneof(fc.constantFrom(1, 0.1, 10 / 3000, 1 / 7, 1e-10, 0), fc.double({ min: 1e-9, max: 7, noNaN: true })),
  isTold: fc.boolean(),
  steps: fc.array(step, { maxLength: 40 }),
});

/** A database: one order of all entries, the server's clock, and connections that break before or after something was done. */
class Database {
  readonly state: Balance = startBalance();
  readonly entries = new Map<string, { readonly entry: LedgerEntry; readonly grant: Grant }>();
  away: { readonly until: number; readonly how: 'before' | 'after' | 'half' } = { until: 0, how: 'before' };
  readonly clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  async book(entry: LedgerEntry): Promise<Grant> {
    const pause = (ms: number): Promise<void> => new Promise<void>((resolve) => this.clock.after(ms, resolve));
    await pause(2);
    const isAway = this.clock.now() < this.away.until;
    if (isAway && this.away.how === 'before') throw new NetworkError('away');
    const known = this.entries.get(entry.id);
    const grant = known?.grant ?? applyEntry(this.state, { ...entry, at: this.clock.wall() });
    if (known === undefined) this.entries.set(entry.id, { entry, grant });
    await pause(1);
    if (isAway) throw new NetworkError('away');
    return grant;
  }
}

interface Client {
  readonly ledger: LedgerClient;
  readonly who: string;
  isAlive: boolean;
  offsetMs: number;
  sent: number;
  charged: bigint;
  /** Requests that wait for the ledger or for a response, and the most there were. */
  open: number;
  mostOpen: number;
  readonly kill: () => void;
}

async function live(given: World): Promise<string | undefined> {
  const clock = new VirtualClock({ wall: Date.UTC(2026, 10, 30, 23, 59, 50) });
  const after = (ms: number, run: () => void): (() => void) => clock.after(ms, run);
  let away: Database['away'] = { until: 0, how: 'before' };
  const disk = new MemoryDisk({
    now: () => clock.wall(),
    after,
    fault: ({ kind }) => {
      if (clock.now() >= away.until) return undefined;
      if (kind === 'write') return away.how === 'before' ? 'ENOSPC' : away.how === 'half' ? { short: 9 } : undefined;
      return kind === 'datasync' ? 'EIO' : undefined;
    },
  });
  const database = new Database(clock);
  const flush = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pass = async (ms: number): Promise<void> => {
    await flush();
    const end = clock.now() + ms;
    for (let nextMs = clock.nextMs; nextMs !== undefined && clock.now() + nextMs <= end; nextMs = clock.nextMs) {
      clock.advance(nextMs);
      await flush();
    }
    clock.advance(end - clock.now());
    await flush();
  };

  let bookings = 0;
  let asked = 0;
  const all: Client[] = [];
  const openLedger = (fileSystem: MemoryFileSystem): SpendLedger =>
    given.kind === 'file'
      ? new FileLedger('/ledger', fileSystem)
      : {
          name: 'database',
          book: (entry) => database.book(entry),
          balances: () => Promise.resolve(new Map([[balance, database.state]])),
          each: (_, visit) => Promise.resolve(database.entries.forEach(({ entry }) => visit(entry))),
          close: () => Promise.resolve(),
        };
  const price = given.isTold ? { at: 'header:x-cost' } : { default: given.price, failed: given.price / 2 };
  const start = (): Client => {
    const fileSystem = new MemoryFileSystem(disk);
    const ledger = openLedger(fileSystem);
    const never = new Promise<never>(() => undefined);
    const who = `client ${all.length}`;
    const one: Client = {
      who,
      isAlive: true,
      offsetMs: 0,
      sent: 0,
      charged: 0n,
      open: 0,
      mostOpen: 0,
      kill: () => {
        one.isAlive = false;
        fileSystem.kill();
      },
      ledger: new LedgerClient({
        open: () =>
          Promise.resolve({
            ...ledger,
            async book(entry, withinMs) {
              if ((bookings += 1) > 200 + 20 * (asked + given.steps.length)) throw new Error('books for ever');
              try {
                const grant = await ledger.book(entry, withinMs);
                return one.isAlive ? grant : await never;
              } catch (error) {
                if (one.isAlive) throw error;
                return await never;
              }
            },
            close: () => ledger.close(),
          }),
        writer: who,
        balance,
        who,
        price,
        clock: {
          now: () => clock.now(),
          wall: () => clock.wall() + one.offsetMs,
          after: (ms, run) => clock.after(ms, () => one.isAlive && run()),
        },
      }),
    };
    all.push(one);
    return one;
  };

  const most = given.of === 'money' ? billionths(given.most / 7) : BigInt(given.most);
  const setter = openLedger(new MemoryFileSystem(disk));
  const set = setter.book(
    { id: 'setter.1', at: clock.wall(), balance, who: 'setter', limit: { of: given.of, per: given.per, most } },
    4000,
  );
  await pass(10);
  await set;

  const clients = Array.from({ length: 4 }, start);
  /** What the service has counted in each period, by the day that the ledger granted it for. */
  const counted = new Map<string, { requests: number; money: bigint; atOnce: bigint }>();
  let [waiting, late] = [0, 0];
  let broken: string | undefined;
  const costOf = (index: number): number => (given.isTold ? given.price * ((index % 5) + 1) : given.price);
  const send = (one: Client, found: Reserved, { ms, unsent, failed }: Extract<Step, { readonly do: 'ask' }>): void => {
    const isSent = !(unsent && one.sent % 4 === 0);
    const cost = billionths(failed && !given.isTold ? given.price / 2 : costOf(one.sent));
    if (isSent) {
      one.sent += 1;
      one.charged += cost;
      const { since } = periodOf(given.per, Date.parse(found.block.day));
      const sum = counted.get(since) ?? { requests: 0, money: 0n, atOnce: 0n };
      counted.set(since, sum);
      sum.requests += 1;
      sum.money += cost;
      // by so much money a limit may be passed: what responses that were on their way have said beyond what was reserved
      sum.atOnce += cost > found.money ? cost - found.money : 0n;
      const passed = given.of === 'requests' ? sum.requests > given.most : sum.money > most + sum.atOnce;
      if (passed) broken ??= `${sum.requests} requests for ${sum.money} in the ${given.per} of ${since}, at most ${most}`;
      if (given.kind === 'database' && found.block.day !== new Date(clock.wall()).toISOString().slice(0, 10))
        broken ??= `a block of ${found.block.day} was used at ${new Date(clock.wall()).toISOString()}`;
    }
    const settle = (): void => {
      if (!one.isAlive) return;
      one.open -= 1;
      const headers = given.isTold ? { 'x-cost': String(costOf(one.sent - 1)) } : {};
      one.ledger.settle(found, { operation, sent: isSent, failed, isRetry: false, headers: isSent ? headersOf(cost, headers) : {} });
    };
    clock.after(ms, settle);
  };
  /** The response says what this very request has cost. */
  const headersOf = (cost: bigint, headers: object): { readonly [name: string]: string } =>
    given.isTold && 'x-cost' in headers ? { 'x-cost': `${cost}e-9` } : {};
  const ask = (one: Client, step: Extract<Step, { readonly do: 'ask' }>): void => {
    asked += 1;
    const from = clock.now();
    waiting += 1;
    one.open += 1;
    one.mostOpen = Math.max(one.mostOpen, one.open);
    const found = one.ledger.take(operation, false);
    const go = (given: Awaited<typeof found>): void => {
      waiting -= 1;
      late = Math.max(late, clock.now() - from);
      if ('because' in given) one.open -= 1;
      else if (one.isAlive) send(one, given, step);
    };
    if (found instanceof Promise) void found.then(go);
    else go(found);
  };

  for (const step of given.steps) {
    if (step.do === 'wait') await pass(step.ms);
    else if (step.do === 'away') away = database.away = { until: clock.now() + step.ms, how: step.how };
    else if (step.do === 'ask') for (let n = 0; n < step.requests; n++) ask(clients[step.client]!, step);
    else if (step.do === 'flow') clients[step.client]!.ledger.bookTo(step.flow);
    else if (step.do === 'jump') clients[step.client]!.offsetMs += step.ms;
    else {
      clients[step.client]!.kill();
      clients[step.client] = start();
    }
  }

  // Once nothing goes wrong any more, all of it is booked.
  away = database.away = { until: 0, how: 'before' };
  await pass(60 * secondMs);
  const closed = Promise.all(all.filter((one) => one.isAlive).map(({ ledger }) => ledger.close()));
  await pass(10 * secondMs);
  await closed;
  const dead = all.filter((one) => !one.isAlive);
  if (broken !== undefined) return broken;
  if (dead.length === 0 && waiting > 0) return `${waiting} requests still wait`;
  if (late > 30 * secondMs) return `a request waited ${late} ms`;

  const reader = openLedger(new MemoryFileSystem(disk));
  const spent = new Map<string, { requests: number; money: bigint }>();
  await reader.each(0, ({ who, settled }) => {
    const sum = spent.get(who) ?? { requests: 0, money: 0n };
    spent.set(who, sum);
    for (const one of settled?.spent ?? []) {
      sum.requests += one.requests;
      sum.money += one.money;
    }
  });
  const state = (await reader.balances()).get(balance)!;
  await reader.close();
  for (const one of all) {
    const { requests, money } = spent.get(one.who) ?? { requests: 0, money: 0n };
    const isRight = one.isAlive ? requests === one.sent && money === one.charged : requests <= one.sent;
    if (!isRight) return `${one.who} sent ${one.sent} for ${one.charged}, the ledger says ${requests} for ${money}`;
  }
  const total = [...spent.values()].reduce((sum, one) => sum + one.requests, 0);
  const sent = all.reduce((sum, one) => sum + one.sent, 0);
  if (state.reserved < sent - total) return `${state.reserved} are reserved, and dead clients sent ${sent - total} more`;
  const lost = dead.reduce((sum, { mostOpen }) => sum + 2 * mostOpen, 0);
  if (state.reserved > lost) return `${state.reserved} stay reserved, and the dead had ${lost} in flight or reserved`;
  if (dead.length === 0 && state.reserved !== 0) return `${state.reserved} stay reserved`;
  const { requests = 0, money = 0n } = state.sums['ever'] ?? {};
  if (requests !== total + state.reserved) return `${requests} count, ${total} were spent, ${state.reserved} are reserved`;
  const charged = all.reduce((sum, one) => sum + one.charged, 0n);
  if (dead.length === 0 && money !== charged) return `${money} counts, ${charged} was charged`;
  return undefined;
}

describe('clients of one ledger, killed, cut off and with clocks that jump', () => {
  const numRuns = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 300;

  it('never pass its limit, leave nothing reserved, and agree with the service', { timeout: 3_600_000 }, async () => {
    const property = fc.asyncProperty(world, async (given) => {
      const broken = await live(given);
      if (broken !== undefined) throw new Error(broken);
    });
    const told = await fc.check(property, { numRuns, interruptAfterTimeLimit: 3_000_000 });
    expect([told.counterexample, told.errorInstance]).toEqual([null, null]);
  });
});
