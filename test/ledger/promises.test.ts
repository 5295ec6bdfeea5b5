import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService, type Service } from '../../src/index.ts';
import { sandboxKey } from '../../src/contract/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from '../client/startServer.ts';
import { postgresBin, startPostgres } from '../startPostgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-promises-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const newPath = (name = 'ledger'): string => join(folder, `${name}-${(count += 1)}`);
const apiKey = 'k3y-of-the-team';

const rows = defineOperation({
  get: '/rows',
  params: { q: { type: 'string' } },
  response: { rows: [{ id: 'string' }] },
  rows: 'rows',
});

/** A service of these prices, and the file that the command finds it in. */
function described(price: Service['price']) {
  const plain = { name: 'sold', price, headers: { 'x-key': '${key}' } } as const;
  const file = `${newPath('service')}.mjs`;
  const one = { spec: rows.spec, params: rows.params, name: 'rows' };
  writeFileSync(file, `export default ${JSON.stringify({ ...plain, operations: { rows: one } })};`);
  return { service: defineService({ ...plain, operations: { rows } }), file };
}

/** A service that counts what it is asked, and says what it charges. */
async function serve(credits: (index: number) => number = () => 1) {
  const seen = { requests: 0, credits: 0, inFlight: 0, atMostInFlight: 0 };
  const server = await startServer((request, response) => {
    const charged = credits(seen.requests);
    seen.requests += 1;
    seen.inFlight += 1;
    seen.atMostInFlight = Math.max(seen.atMostInFlight, seen.inFlight);
    seen.credits += charged;
    response.setHeader('x-credits', String(charged));
    setTimeout(() => {
      seen.inFlight -= 1;
      response.end(JSON.stringify({ rows: [{ id: request.url }] }));
    }, 2);
  });
  return Object.assign(server, { seen });
}

function teller(TRAWLER_LEDGER: string, service: string, baseUrl: string = '') {
  const env = { TRAWLER_LEDGER, TRAWLER_API_KEY: apiKey, TRAWLER_BASE_URL: baseUrl };
  return {
    run: (...argv: readonly string[]) => runInProcess([...argv], { env }),
    limit: async (...argv: readonly string[]) => {
      const { code, stderr } = await runInProcess(['spend', 'limit', ...argv, '--service', service], { env });
      expect([code, stderr]).toEqual([0, '']);
    },
    spent: async () =>
      JSON.parse((await runInProcess(['spend', '--json'], { env })).stdout) as {
        readonly total: { readonly requests: number; readonly money: number };
        readonly reserved: number;
        readonly limits: readonly { readonly spent: number }[];
      },
  };
}

const open = (service: Service, baseUrl: string, ledger: string) =>
  createClient({
    service: service as ReturnType<typeof described>['service'],
    baseUrl,
    apiKey,
    ledger,
    rate: 'unlimited',
    concurrency: 20,
  });

/** Asks until nothing more is sent. Returns the errors' names, each once. */
async function askFor(client: ReturnType<typeof open>, requests: number, lanes = 20): Promise<readonly string[]> {
  const errors = new Set<string>();
  const lane = async (name: number): Promise<void> => {
    for (let n = name; n < requests; n += lanes)
      await firstValueFrom(client.rows({ q: `${n}` })).catch((error: Error) => errors.add(error.name));
  };
  await Promise.all(Array.from({ length: lanes }, (_, name) => lane(name)));
  return [...errors];
}

const flowOf = (service: Service, name: string, requests: number): FlowDefinition => ({
  name,
  service,
  stages: { rows: { call: 'rows', with: { q: Array.from({ length: requests }, (_, n) => `${name} ${n}`) } } },
});

/** A client that calls, and runs flows, in turns and at once. */
async function inTurns(client: ReturnType<typeof open>, service: Service): Promise<void> {
  for (const turn of [1, 2, 3]) {
    const calls = askFor(client, 40);
    await lastValueFrom(runFlow(flowOf(service, `flow${turn}`, 100), { client, outDir: newPath('out') }));
    await calls;
  }
}

describe('a ledger', () => {
  it('counts a client once that calls and runs flows in turns', { timeout: 30_000 }, async () => {
    await using server = await serve();
    const { service, file } = described({ default: 1 });
    const ledger = newPath();
    const { spent } = teller(ledger, file);
    const client = open(service, server.url, ledger);
    await inTurns(client, service);
    await client.close();
    expect(server.seen.requests).toBe(420);
    expect(await spent()).toMatchObject({ total: { requests: 420, money: 420 }, reserved: 0 });
  });

  it('counts what responses say they cost, also while a block is being reserved', async () => {
    const credits = (index: number): number => [0.01, 0.02, 0.07][index % 3]!;
    await using server = await serve(credits);
    const { service, file } = described({ at: 'header:x-credits' });
    const ledger = newPath();
    const { limit, spent } = teller(ledger, file);
    await limit('1/month', '--money');
    const client = open(service, server.url, ledger);
    expect(await askFor(client, 300)).toEqual(['BudgetError']);
    await client.close();
    const charged = Number(server.seen.credits.toFixed(9));
    expect(charged).toBeLessThan(1 + 0.07 * server.seen.atMostInFlight);
    const { total, limits, reserved } = await spent();
    expect([total.requests, total.money, limits[0]!.spent, reserved]).toEqual([server.seen.requests, charged, charged, 0]);
  });

  it('is passed by what is on its way, and by no more, where prices rise', async () => {
    await using server = await serve((index) => (index < 40 ? 0.01 : 1));
    const { service, file } = described({ at: 'header:x-credits' });
    const ledger = newPath();
    await teller(ledger, file).limit('100/month', '--money');
    const client = open(service, server.url, ledger);
    expect(await askFor(client, 400)).toEqual(['BudgetError']);
    await client.close();
    expect(server.seen.credits).toBeLessThan(100 + server.seen.atMostInFlight);
  });

  it('is not used in the sandbox, which the command says', async () => {
    const ledger = newPath();
    const call = ['call', 'webSearch', '--query', 'tea', '--sandbox'];
    const told = 'The sandbox costs nothing, so nothing is booked in TRAWLER_LEDGER, and its limits do not count here.';
    const env = { TRAWLER_LEDGER: ledger, TRAWLER_API_KEY: sandboxKey };
    expect(await runInProcess(call, { env })).toMatchObject({ code: 0, stderr: expect.stringContaining(told) });
    await using alone = await startSandbox();
    const there = [...call.slice(0, -1), '--base-url', alone.url];
    expect(await runInProcess(there, { env })).toMatchObject({ code: 0, stderr: expect.stringContaining(told) });
    const spent = await runInProcess(['spend'], { env });
    expect(spent.stdout).toContain('Nothing was spent. Requests to the sandbox cost nothing, and are not booked.');
    expect((await runInProcess(call, { env: {} })).stderr).not.toContain(told);
    expect(existsSync(ledger)).toBe(false);
  });

  it.each([
    ['10/3000', 10 / 3000, '0.02', 5],
    ['10/3000', 10 / 3000, '0.0134', 4],
    ['1/7', 1 / 7, '1', 6],
    ['1e-10', 1e-10, '0.000000005', 5],
  ])('ends at a limit where the price has more digits than money: %s', async (_, price, most, requests) => {
    await using server = await serve();
    const { service, file } = described({ default: price });
    const ledger = newPath();
    const { limit } = teller(ledger, file);
    await limit(`${most}/month`, '--money');
    const client = open(service, server.url, ledger);
    expect(await askFor(client, 20, 1)).toEqual(['BudgetError']);
    await client.close();
    expect(server.seen.requests).toBe(requests);
    expect(readFileSync(ledger, 'utf8').split('\n').length).toBeLessThan(50);
  });

  describe('in a file that is damaged', () => {
    const damages: readonly (readonly [name: string, damage: (text: string) => string, line: number])[] = [
      ['in the middle', (text) => text.replace('requests', 'requestz'), 1],
      ['at its end', (text) => text.slice(0, -12), 1],
      ['by another program', (text) => `${text}hello\n`, 2],
      ['in its number', (text) => text.replace('"20"', '"90"'), 1],
      ['by a line that is empty', (text) => `\n${text}`, 1],
    ];
    it.each(damages)('%s, sends nothing, and says which line it is', async (_, damage, line) => {
      await using server = await serve();
      const { file, service } = described(undefined);
      const ledger = newPath();
      const { limit, run, spent } = teller(ledger, file, server.url);
      await limit('20/month');
      writeFileSync(ledger, damage(readFileSync(ledger, 'utf8')));

      const { code, stderr } = await run('call', 'rows', '--q', 'a', '--service', file);
      expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`line ${line} of the ledger is damaged`);
      expect(stderr).toContain('trawler spend repair');
      expect(code).toBe(2);
      const client = open(service, server.url, ledger);
      expect(await askFor(client, 1)).toEqual(['BudgetError']);
      await client.close();

      const repaired = await run('spend', 'repair');
      expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining(`Line ${line} was damaged`) });
      const unset = await run('call', 'rows', '--q', 'a', '--service', file);
      expect(unset).toMatchObject({ code: 4, stderr: expect.stringContaining('trawler spend limit') });
      expect(server.seen.requests).toBe(0);

      await limit('20/month');
      const again = open(service, server.url, ledger);
      expect(await askFor(again, 40)).toEqual(['BudgetError']);
      await again.close();
      expect(server.seen.requests).toBe(20);
      expect(await spent()).toMatchObject({ total: { requests: 20 }, reserved: 0 });
      expect(await run('spend', 'repair')).toMatchObject({ code: 0, stdout: 'Every line of the ledger is whole.\n' });
    });

    it('stops a client that uses it', async () => {
      await using server = await serve();
      const { file, service } = described(undefined);
      const ledger = newPath();
      await teller(ledger, file).limit('2000/month');
      const client = open(service, server.url, ledger);
      await askFor(client, 10);
      appendFileSync(ledger, 'x\n');
      expect(await askFor(client, 200)).toEqual(['BudgetError']);
      await client.close();
      expect(server.seen.requests).toBeLessThanOrEqual(31);
    });
  });

  describe.skipIf(postgresBin === undefined)('in PostgreSQL', { timeout: 60_000 }, () => {
    it('is not passed by a client that books from several places at once', async () => {
      const postgres = await startPostgres();
      try {
        await using server = await serve();
        const { service, file } = described({ default: 1 });
        const { limit, spent } = teller(postgres.url, file);
        await limit('600/month');
        const client = open(service, server.url, postgres.url);
        await inTurns(client, service);
        expect(await askFor(client, 500)).toEqual(['BudgetError']);
        await client.close();
        expect(server.seen.requests).toBe(600);
        const { total, reserved, limits } = await spent();
        expect([total.requests, reserved, limits[0]!.spent]).toEqual([600, 0, 600]);
      } finally {
        await postgres.close();
      }
    });

    it.each([
      ['whose connections hang, is connected to anew', 'connections', [200, 200]],
      ['that gives no response, is given up', 'server', [20, 40]],
    ] as const)('%s, and nothing counts twice', async (_, what, [least, most]) => {
      const postgres = await startPostgres();
      try {
        await using server = await serve();
        const { service, file } = described(undefined);
        const { limit, spent } = teller(postgres.url, file);
        await limit('200/month');
        const client = open(service, server.url, postgres.url);
        await askFor(client, 20);
        const goOn = await postgres.hang(what);
        expect(await askFor(client, 300)).toEqual(['BudgetError']);
        expect(server.seen.requests).toBeGreaterThanOrEqual(least);
        expect(server.seen.requests).toBeLessThanOrEqual(most);
        goOn();
        await new Promise((resolve) => setTimeout(resolve, 1100)); // a refusal holds for a second
        expect(await askFor(client, 300)).toEqual(['BudgetError']);
        await client.close();
        expect(server.seen.requests).toBe(200);
        expect(await spent()).toMatchObject({ total: { requests: 200 }, reserved: 0, limits: [{ spent: 200 }] });
      } finally {
        await postgres.close();
      }
    });
  });
});
