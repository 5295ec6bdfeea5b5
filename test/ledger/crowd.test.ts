import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { balanceOf, billionths, moneyText, openLedger, summarizeSpending } from '../../src/ledger/index.ts';
import { reply, startServer } from '../client/startServer.ts';
import { testKey } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { postgresBin, startPostgres } from '../startPostgres.ts';

// Processes that spend from one ledger across a month's end, some of them killed, and what the service itself counts.

const long = process.env['TRAWLER_LONG'] === '1';
const limit = long ? 3000 : 160;
const processes = long ? 20 : 4;
const kills = processes / 4;
const concurrency = 4;
const price = 10 / 3000;
const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const zones = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns'] as const;

interface Place {
  readonly at: string;
  /** By how much the clocks of its processes jump. */
  readonly jumpMs: number;
  /** They don't, or only the server's clock counts. */
  readonly isTimeSure: boolean;
  readonly disturb: () => Promise<void>;
  readonly setClock: (aheadMs: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const inFile = (jumpMs: number) => (): Promise<Place> =>
  Promise.resolve({
    at: join(folder, `ledger-${Math.random()}`),
    jumpMs,
    isTimeSure: jumpMs === 0,
    disturb: () => Promise.resolve(),
    setClock: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });

const inPostgres = async (zone: string): Promise<Place> => {
  const postgres = await startPostgres();
  const setClock = (aheadMs: number): Promise<string> =>
    postgres.psql(`
      CREATE OR REPLACE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS $$ SELECT pg_catalog.clock_timestamp() + interval '${Math.round(aheadMs)} milliseconds' $$;`);
  await postgres.psql(`
    CREATE SCHEMA fake;
    ALTER DATABASE postgres SET search_path = fake, pg_catalog, public;
    ALTER DATABASE postgres SET timezone = '${zone}';`);
  return {
    at: postgres.url,
    jumpMs: 40 * 86_400_000,
    isTimeSure: true,
    disturb: () => postgres.killAndRestart(),
    setClock,
    close: () => postgres.close(),
  };
};

type Case = readonly [name: string, of: 'requests' | 'money', zone: string, open: (zone: string) => Promise<Place>];
const cases: readonly Case[] = zones.flatMap((zone, index) => [
  ['a file', index === 0 ? 'requests' : 'money', zone, inFile(0)],
  ['a file, with clocks that jump,', 'requests', zone, inFile(90_000)],
  ...(postgresBin === undefined ? [] : [['PostgreSQL that restarts', index === 1 ? 'requests' : 'money', zone, inPostgres] as const]),
]);

/** So many milliseconds after all processes have started, a month ends. */
const untilEndMs = long ? 15_000 : 2500;

describe(`${processes} processes with one ledger`, () => {
  it.each(ofTheDay(cases, 1))('in %s keep to %s, in %s', { timeout: 600_000 }, async (_, of, zone, open) => {
    const monthEnd = Date.UTC(2026, 11, 1);
    let aheadMs: number | undefined;
    const now = (): number => Date.now() + aheadMs!;
    const place = await open(zone);
    const counted = [0, 0];
    const running = new Map<ChildProcess, Promise<number | null>>();
    let killed = 0;
    try {
      const most = of === 'money' ? billionths(price) * BigInt(limit) + 1n : BigInt(limit);
      const setter = await openLedger(place.at);
      const balance = balanceOf({ name: 'sold' }, { key: testKey });
      const limitEntry = { id: 'setter.1', at: Date.UTC(2026, 10, 1), balance, who: 'test', limit: { most, of, per: 'month' } } as const;

      await using server = await startServer((request, response) => {
        if (request.headers['x-key'] !== testKey) {
          response.writeHead(404).end(); // of another test, which had this port before
          return;
        }
        counted[now() < monthEnd ? 0 : 1]! += 1;
        const served = counted[0]! + counted[1]!;
        if (served % Math.floor(limit / (kills + 1)) === 0 && killed < kills) killOne();
        if (served === Math.floor(limit / 3) || served === Math.floor(limit * 1.2)) void place.disturb();
        setTimeout(() => reply(response, { organic_results: [] }), 3);
      });
      const start = async (): Promise<void> => {
        const script = fileURLToPath(new URL('spenderChild.mjs', import.meta.url));
        const options = { ledger: place.at, baseUrl: server.url, jumpMs: place.jumpMs, monthEnd, price };
        const env = { ...process.env, TRAWLER_API_KEY: testKey, TZ: zone };
        const child = spawn(process.execPath, [script, inject('dist'), JSON.stringify(options)], {
          env,
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        running.set(child, new Promise((resolve) => child.once('close', resolve)));
        child.stdin.on('error', () => undefined); // it may be killed first
        await new Promise((resolve) => child.stdout.once('data', resolve));
        if (aheadMs !== undefined) child.stdin.end(String(aheadMs));
      };
      const killOne = (): void => {
        const child = [...running.keys()].find((one) => one.exitCode === null && one.signalCode === null);
        if (child?.kill('SIGKILL') !== true) return;
        killed += 1;
        void start();
      };
      await Promise.all(Array.from({ length: processes }, start));
      aheadMs = monthEnd - untilEndMs - Date.now();
      await place.setClock(aheadMs);
      await setter.book(limitEntry, 10_000);
      await setter.close();
      for (const child of running.keys()) child.stdin!.end(String(aheadMs));
      for (let seen = 0; seen < running.size; seen = running.size) await Promise.all(running.values());

      const reader = await openLedger(place.at);
      const { total, reserved } = await summarizeSpending(reader, { since: 0, by: 'day' });
      const state = (await reader.balances()).get(balance)!;
      await reader.close();
      const [first, second] = counted as [number, number];
      const inFlight = processes * concurrency;
      console.info(`${first} and ${second} of ${limit}; ${killed} killed; the ledger says ${total.requests}, ${reserved} reserved`);
      expect(killed).toBe(kills);
      // What was sent before midnight may be counted after it. Where clocks jump, nobody knows which month it is.
      expect(first).toBeLessThanOrEqual(place.isTimeSure ? limit : 2 * limit);
      expect(second).toBeLessThanOrEqual(place.isTimeSure ? limit + inFlight : 2 * limit);
      expect(first + second).toBeLessThanOrEqual(2 * limit);
      // What nobody has settled is what the killed had: it was sent or not.
      expect(total.requests + reserved).toBeGreaterThanOrEqual(first + second);
      expect(total.requests).toBeLessThanOrEqual(first + second);
      expect(reserved).toBeLessThanOrEqual(killed * 2 * concurrency);
      expect(moneyText(total.money)).toBe(moneyText(billionths(price) * BigInt(total.requests)));
      expect(state.sums['ever']!.requests).toBe(total.requests + reserved);
      // A clock that jumps ahead spends the next month's before the month ends.
      expect(place.isTimeSure ? second : first + second).toBeGreaterThanOrEqual(limit - reserved - inFlight);
    } finally {
      for (const child of running.keys()) child.kill('SIGKILL');
      await place.close();
    }
  });
});
