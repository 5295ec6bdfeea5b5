import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, type Observable } from 'rxjs';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { requestPrice } from '../../src/contract/index.ts';
import { balanceOf } from '../../src/ledger/ledgerNames.ts';
import { BudgetError, createClient, defineOperation, defineService, systemClock, type Service } from '../../src/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import type { FileSystem } from '../../src/files/FileSystem.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { limitsOf, type LedgerEntry } from '../../src/ledger/Balance.ts';
import { LedgerClient } from '../../src/ledger/LedgerClient.ts';
import { billionths, moneyText } from '../../src/ledger/money.ts';
import { summarizeSpending } from '../../src/ledger/summarizeSpending.ts';
import { FileLedger } from '../../src/ledger/FileLedger.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from '../client/startServer.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());
let count = 0;
const newPath = (): string => join(folder, `ledger-${(count += 1)}`);
const apiKey = 'k3y-of-the-team';

const rows = defineOperation({
  get: '/rows',
  params: { q: { type: 'string' } },
  response: { rows: [{ id: 'string' }] },
  rows: 'rows',
});
const headers = { 'x-key': '${key}' };
const counted = defineService({ name: 'counted', headers, operations: { rows } });
const priced = defineService({ name: 'priced', headers, price: { default: 0.5, rows: 2, failed: 0 }, operations: { rows } });
const told = defineService({ name: 'told', headers, price: { at: 'header:X-Credits' }, operations: { rows } });

/** A service that counts. Queries `bad…` fail. */
async function serve() {
  const seen = { requests: 0 };
  const server = await startServer((request, response) => {
    seen.requests += 1;
    response.setHeader('x-credits', '3');
    if (request.url!.includes('q=bad')) response.statusCode = 400;
    response.end(JSON.stringify({ rows: [{ id: request.url }] }));
  });
  return Object.assign(server, { seen });
}

async function setLimit(at: string, service: Service, limit: LedgerEntry['limit'], fileSystem: FileSystem = nodeFileSystem): Promise<void> {
  const ledger = new FileLedger(at, fileSystem);
  await ledger.book({ id: `test ${(count += 1)}.1`, at: Date.now(), balance: balanceOf(service, { key: apiKey }), who: 'test', limit });
  await ledger.close();
}

/** What a ledger says was spent, and what is reserved. */
async function read(at: string, fileSystem: FileSystem = nodeFileSystem) {
  const ledger = new FileLedger(at, fileSystem);
  const flows = new Set<string | undefined>();
  await ledger.each(0, ({ flow }) => flows.add(flow));
  const { total, reserved } = await summarizeSpending(ledger, { since: 0, by: 'day' });
  await ledger.close();
  return { ...total, money: Number(moneyText(total.money)), reserved, flows: [...flows] };
}

const errorsOf = async (client: ReturnType<typeof open>, queries: readonly string[]) => {
  const errors: unknown[] = [];
  for (const q of queries) await firstValueFrom(client.rows({ q })).catch((error: unknown) => errors.push(error));
  return errors;
};
const open = (service: typeof counted, baseUrl: string, more: object) =>
  createClient({ service, baseUrl, apiKey, rate: 'unlimited', retry: { baseMs: 1 }, ...more });

/** A clock that jumps ahead where it would be waited for. */
function hastyClock() {
  let aheadMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + aheadMs,
    after: (ms: number, run: () => void) => {
      if (ms >= 5000) return systemClock.after(ms, run);
      aheadMs += ms;
      return systemClock.after(0, run);
    },
    /** A refusal of a ledger holds for a second. */
    forgetRefusal: () => void (aheadMs += 1001),
  };
}

describe('a client with a ledger', () => {
  it('books what it spent, gives back the rest, and never names the key', async () => {
    await using server = await serve();
    const ledger = newPath();
    await using client = open(priced as never, server.url, { ledger });
    await errorsOf(client, ['a', 'b', 'bad']);
    await client.close();
    expect(await read(ledger)).toMatchObject({ requests: 3, money: 4, failed: 1, retries: 0, reserved: 0 });
    const text = readFileSync(ledger, 'utf8');
    expect(text).not.toContain(apiKey);
  });

  it('stops at a limit with an error that says which, and until when', async () => {
    await using server = await serve();
    const ledger = newPath();
    await setLimit(ledger, counted, { most: 2n, of: 'requests', per: 'day' });
    await using client = open(counted, server.url, { ledger });
    const [error, ...more] = await errorsOf(client, ['a', 'b', 'c', 'd']);
    expect(error).toBeInstanceOf(BudgetError);
    expect(error).toMatchObject({
      because: expect.stringMatching(/^the limit of 2 requests a day is reached, until \d{4}-\d\d-\d\d 00:00 UTC$/),
    });
    expect((error as BudgetError).until! % 86_400_000).toBe(0);
    expect(more).toHaveLength(1);
    expect(server.seen.requests).toBe(2);
    expect(client.stats().requests).toBe(2);
  });

  it('books what rows cost, of which no page has more than its operation says', async () => {
    await using server = await startServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://sold');
      const isDone = pathname.startsWith('/jobs/');
      const count = Number(searchParams.get('q') ?? pathname.split('/').at(-1));
      const list = Array.from({ length: count }, (_, id) => ({ id: String(id) }));
      response.statusCode = Number.isNaN(count) ? 400 : 200;
      response.end(JSON.stringify(pathname === '/later' ? { id: count, is: 'set' } : { rows: list, ...(isDone && { is: 'done' }) }));
    });
    const job = { at: 'id', get: '/jobs/${id}', until: { at: 'is', is: ['done'] }, everyMs: 1 } as const;
    const plain = { params: rows.params, row: { id: 'string' }, rows: 'rows' } as const;
    const later = defineOperation({ ...plain, get: '/later', job });
    const sized = defineOperation({
      ...plain,
      get: '/rows',
      query: { at: '${offset}' },
      size: 9,
    });
    const sold = defineService({
      name: 'sold', headers, price: { row: 0.25, account: 1, failed: 0 }, operations: { rows, sized, later, account: rows },
    }); // prettier-ignore
    const ledger = newPath();
    await setLimit(ledger, sold, { most: billionths(20), of: 'money', per: 'day' });
    await using client = open(sold as never, server.url, { ledger }) as never as { [name: string]: (query: object) => Observable<unknown> } & ReturnType<typeof open>; // prettier-ignore
    for (const [name, q] of [['rows', 4], ['sized', 2], ['later', 8], ['account', 5], ['rows', 0]] as const) await firstValueFrom(client[name]!({ q: String(q) })); // prettier-ignore
    await expect(firstValueFrom(client.rows!({ q: 'bad' }))).rejects.toThrow('400');
    await client.close();
    expect(await read(ledger)).toMatchObject({ requests: 7, money: 1 + 0.5 + 2 + 1, failed: 1, reserved: 0 });
    expect(() => defineService({ ...sold, price: { row: 1, default: 1 } })).toThrow('price has row and default');
    expect([requestPrice(sold.price, sold.operations.sized), requestPrice(sold.price, sold.operations.rows)]).toEqual([2.25, undefined]);
  });

  it('may pass a limit by what is in flight, where only responses tell the price', async () => {
    await using server = await serve();
    const ledger = newPath();
    await setLimit(ledger, told, { most: billionths(10), of: 'money', per: 'day' });
    await using client = open(told as never, server.url, { ledger });
    expect(await errorsOf(client, ['a', 'b', 'c', 'd', 'e'])).toHaveLength(2);
    await client.close();
    expect(server.seen.requests).toBe(3);
    expect(await read(ledger)).toMatchObject({ requests: 3, money: 9 });
  });

  it.each<[name: string, fault: string, code: string]>([
    ['is full', 'write', 'ENOSPC'],
    ["can't be synced", 'datasync', 'EIO'],
    ['is gone', 'make', 'EROFS'],
  ])('sends nothing while the disk of the ledger %s', async (_, kind, code) => {
    await using server = await serve();
    let isBroken = true;
    const disk = new MemoryDisk({ fault: (step) => (isBroken && step.kind === kind ? code : undefined) });
    const fileSystem = new MemoryFileSystem(disk);
    const clock = hastyClock();
    await using client = open(counted, server.url, { ledger: '/ledger', fileSystem, clock });
    const [error] = await errorsOf(client, ['a']);
    expect(error).toMatchObject({ name: 'BudgetError', because: expect.stringContaining(`(${code})`) });
    expect(server.seen.requests).toBe(0);
    isBroken = false;
    clock.forgetRefusal();
    expect(await errorsOf(client, ['a'])).toEqual([]);
    expect(server.seen.requests).toBe(1);
  });

  it('sends nothing while the database of the ledger is away, and never names its password', async () => {
    await using server = await serve();
    const ledger = 'postgres://user:pass-w0rd@127.0.0.1:1/db';
    await using client = open(counted, server.url, { ledger, clock: hastyClock() });
    const [error] = await errorsOf(client, ['a']);
    expect(error).toMatchObject({ name: 'BudgetError', because: expect.stringContaining('the database is away') });
    expect(String(error)).not.toContain('pass-w0rd');
    expect(server.seen.requests).toBe(0);
  });

  it('gives every attempt to book time for a response, so that the last error says why', async () => {
    const given: number[] = [];
    const book = (_: LedgerEntry, withinMs: number) => {
      given.push(withinMs);
      return Promise.reject(new Error('no connection'));
    };
    const options = { writer: 'me', balance: 'one', who: 'me', price: undefined, clock: hastyClock() };
    const client = new LedgerClient({ ...options, open: () => Promise.resolve({ book } as never) });
    expect(await client.take(counted.operations.rows, false)).toMatchObject({ because: "the ledger can't be used: no connection" });
    expect(given.length).toBeGreaterThan(1);
    expect(Math.min(...given)).toBeGreaterThanOrEqual(400);
  });

  it('books nothing for the sandbox, a replay, or where it is off', async () => {
    const at = newPath();
    vi.stubEnv('TRAWLER_LEDGER', at);
    await using sandbox = await startSandbox({});
    await using server = await serve();
    const store = openStore(join(folder, 'responses'), { mode: 'reuse' });
    await using recording = createClient({ service: counted, baseUrl: server.url, apiKey, store, ledger: false });
    await firstValueFrom(recording.rows({ q: 'a' }));
    await using inSandbox = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    await firstValueFrom(inSandbox.webSearch({ query: 'a' }));
    await store.close();
    await using again = openStore(join(folder, 'responses'), { mode: 'replay' });
    await using replaying = createClient({ service: counted, store: again });
    await firstValueFrom(replaying.rows({ q: 'a' }));
    expect(nodeFileSystem.stat(at)).toBeUndefined();
  });

  it('stops a flow, which resumes', async () => {
    await using server = await serve();
    const ledger = newPath();
    await setLimit(ledger, counted, { most: 3n, of: 'requests', per: 'ever', flow: 'few' });
    const clock = hastyClock();
    await using client = open(counted, server.url, { ledger, clock });
    const stages = { rows: { call: 'rows', with: { q: ['a', 'b', 'c', 'd', 'e'] }, to: 'rows.jsonl' } };
    const flow: FlowDefinition = { name: 'few', service: counted, stages };
    const outDir = join(folder, `out-${(count += 1)}`);
    const stopped = await lastValueFrom(runFlow(flow, { client, outDir }));
    expect(stopped).toMatchObject({
      outcome: 'interrupted',
      because: 'the limit of 3 requests in all for the flow few is reached; 2 queries are left',
      overLimit: { because: 'the limit of 3 requests in all for the flow few is reached' },
    });
    await setLimit(ledger, counted, { most: 1000n, of: 'requests', per: 'ever', flow: 'few' });
    clock.forgetRefusal();
    expect(await lastValueFrom(runFlow(flow, { client, outDir }))).toMatchObject({ outcome: 'complete' });
    expect(server.seen.requests).toBe(5);
    await client.close();
    expect(await read(ledger)).toMatchObject({ requests: 5, reserved: 0 });
    const [balance] = (await new FileLedger(ledger, nodeFileSystem).balances()).values();
    expect(limitsOf(balance!, 'few')).toMatchObject([{ most: 1000n, spent: 5n }]);
  });

  it('tells all requests that wait at a limit, also those that come while others are told', async () => {
    await using server = await serve();
    const ledger = newPath();
    await setLimit(ledger, counted, { most: 2n, of: 'requests', per: 'ever' });
    const client = open(counted, server.url, { ledger });
    const q = Array.from({ length: 40 }, (_, n) => `q${n}`);
    const flow: FlowDefinition = { name: 'many', service: counted, stages: { rows: { call: 'rows', with: { q } } } };
    const { endedAt, startedAt } = (await lastValueFrom(
      runFlow(flow, { client, outDir: join(folder, `out-${(count += 1)}`) }),
    )) as FlowSummary;
    expect(endedAt - startedAt).toBeLessThan(20_000); // it took a request's time limit of a minute
    expect(server.seen.requests).toBe(2);
    await client.close();
  });

  it('ends the command with code 4', async () => {
    await using server = await serve();
    const file = join(folder, 'service.mjs');
    const ledger = newPath();
    writeFileSync(
      file,
      `export default { name: 'counted', headers: { 'x-key': '\${key}' }, operations: { rows: ${JSON.stringify({ spec: rows.spec, params: rows.params, name: 'rows' })} } };`,
    );
    await setLimit(ledger, counted, { most: 1n, of: 'requests', per: 'ever' });
    const env = { TRAWLER_LEDGER: ledger, TRAWLER_API_KEY: apiKey, TRAWLER_BASE_URL: server.url };
    const call = (q: string) => runInProcess(['call', 'rows', '--q', q, '--service', file], { env });
    expect(await call('a')).toMatchObject({ code: 0 });
    const { code, stderr } = await call('b');
    expect(stderr).toContain('the limit of 1 request in all is reached');
    expect(code).toBe(4);
  });
});

describe('a service with prices', () => {
  it.each<[price: object, fault: string]>([
    [{ rwo: 1 }, "price names 'rwo'"],
    [{ rows: -1 }, 'price.rows'],
    [{ header: 'not a header' }, 'price'],
  ])('refuses %j', (price, fault) => {
    expect(() => defineService({ name: 'wrong', price: price as never, operations: { rows } })).toThrow(fault);
  });
});
