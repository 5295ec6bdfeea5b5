import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { balanceOf } from '../../src/ledger/balanceOf.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { openLedger } from '../../src/ledger/openLedger.ts';
import { searchService } from '../../src/search/index.ts';
import { reply, startServer } from '../client/startServer.ts';
import { testKey } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { postgresBin, startPostgres } from '../startPostgres.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const limit = long ? 1000 : 300;
const processes = long ? 20 : 4;
const kills = processes / 4;
const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Spender {
  readonly child: ChildProcess;
  readonly said: Promise<string>;
}

function spawnSpender(options: object): Spender {
  const script = fileURLToPath(new URL('spenderChild.mjs', import.meta.url));
  const env = { ...process.env, TRAWLER_API_KEY: testKey };
  const child = spawn(process.execPath, [script, inject('dist'), JSON.stringify(options)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  return { child, said: new Promise((resolve) => child.once('close', () => resolve(out))) };
}

/** Lets the processes spend, and kills some of them. Returns how many requests the service got, and how many were killed. */
async function crowd(
  at: string,
  kills: number,
): Promise<{ readonly served: number; readonly killed: number; readonly said: readonly string[] }> {
  const ledger = await openLedger(at, nodeFileSystem);
  const balance = balanceOf(searchService, { key: testKey });
  await ledger.book({ at: Date.now(), balance, who: 'test', limit: { most: limit, of: 'requests', per: 'month' } });
  await ledger.close();
  let served = 0;
  let killed = 0;
  const all: Spender[] = [];
  const every = Math.floor(limit / (kills + 1));
  await using server = await startServer((_, response) => {
    served += 1;
    const victim = served % every === 0 && killed < kills ? all[(served * 7) % processes] : undefined;
    if (victim?.child.kill('SIGKILL') === true) killed += 1;
    setTimeout(() => reply(response, { organic_results: [] }), 3);
  });
  for (let count = 0; count < processes; count++) all.push(spawnSpender({ ledger: at, baseUrl: server.url }));
  const said = await Promise.all(all.map((one) => one.said));
  return { served, killed, said };
}

interface Place {
  readonly at: string;
  readonly close: () => Promise<void>;
}

const inFile = (): Promise<Place> => Promise.resolve({ at: join(folder, `ledger-${Math.random()}`), close: () => Promise.resolve() });
const inPostgres = async (): Promise<Place> => {
  const postgres = await startPostgres();
  return { at: postgres.url, close: () => postgres.close() };
};
const cases = [
  ['a file', 0, inFile],
  ['a file', kills, inFile],
  ...(postgresBin === undefined ? [] : [0, kills].map((some) => ['PostgreSQL', some, inPostgres] as const)),
] as const;

describe(`${processes} processes with one ledger`, () => {
  it.each(ofTheDay(cases, 1))('in %s, %i of them killed, never send more than the limit', { timeout: 240_000 }, async (_, kills, open) => {
    const { at, close } = await open();
    try {
      const { served, killed, said } = await crowd(at, kills);
      expect(served).toBeLessThanOrEqual(limit);
      expect(served).toBeGreaterThanOrEqual(kills === 0 ? limit - 20 : 1);
      expect(killed > 0).toBe(kills > 0);
      const ends = said.filter((text) => text !== '').map((text) => JSON.parse(text) as object);
      expect(ends.length).toBeGreaterThanOrEqual(processes - kills);
      const because = expect.stringContaining(`the limit of ${limit.toLocaleString('en')} requests a month is reached, until `) as string;
      for (const end of ends) expect(end).toMatchObject({ because });
    } finally {
      await close();
    }
  });
});
