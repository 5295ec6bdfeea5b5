import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { balanceOf, billionths, openLedger } from '../../../src/ledger/index.ts';
import { runInProcess } from '../runInProcess.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-spend-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const service = join(folder, 'priced.json');
const operations = { rows: { get: '/rows', params: { q: { type: 'string' } }, response: {}, rows: null } };
writeFileSync(service, JSON.stringify({ name: 'priced', price: { default: 2 }, headers: { 'x-key': '${key}' }, operations }));
const at = join(folder, 'ledger');
const env = { TRAWLER_LEDGER: at, TRAWLER_API_KEY: 'secret-key' };
const spend = (...argv: readonly string[]) => runInProcess(['spend', ...argv], { env });
const balance = balanceOf({ name: 'priced' }, { key: env.TRAWLER_API_KEY });

async function bookSome(): Promise<void> {
  const ledger = await openLedger(at);
  const day = new Date().toISOString().slice(0, 10);
  const one = { operation: 'rows', requests: 10, money: billionths(20), failed: 2, retries: 1 };
  const other = { ...one, operation: 'other', requests: 3, money: billionths(6), failed: 0 };
  const back = { day, requests: 0, money: 0n, owed: 0n };
  const book = (id: string, entry: object) => ledger.book({ id, at: Date.now(), balance, who: 'night', ...entry }, 4000);
  const price = billionths(2);
  await book('1.1', { flow: 'coffee', ask: { requests: 15, price } });
  await book('1.2', { flow: 'coffee', settled: { ...back, spent: [one] } });
  await book('2.1', { who: 'ann', ask: { requests: 3, price } });
  await book('2.2', { who: 'ann', settled: { ...back, spent: [other] } });
  await ledger.close();
}

describe('trawler spend', () => {
  it('says that nothing is booked without a ledger', async () => {
    const { code, stderr } = await runInProcess(['spend'], { env: {} });
    expect(code).toBe(2);
    expect(stderr).toContain('TRAWLER_LEDGER is not set');
  });

  it('sets, shows and removes limits', async () => {
    expect(await spend('limit', '5000/month', '--service', service)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^priced [0-9a-f]{12}: at most 5,000 requests a month\. 0 spent, 5,000 left until \d{4}-\d\d-01\.\n$/),
    });
    expect((await spend('limit', '20.5/day', '--money', '--service', service)).stdout).toContain('at most 20.5 a day. 0 spent');
    expect((await spend('limit', '7', '--flow', 'coffee', '--service', service)).stdout).toContain('7 requests in all for the flow coffee');
    await spend('limit', 'none/month', '--service', service);
    await spend('limit', 'none', '--flow', 'coffee', '--service', service);
    const { stdout } = await spend('limit');
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stdout).not.toContain('secret');
    expect((await spend('limit', 'none/day', '--money', '--service', service)).stdout).toMatch(/^There is no limit/);
  });

  it.each([
    [['limit', '5k/month'], '5k/month'],
    [['limit', '5/year'], '5/year'],
    [['limit', '2.5/day'], '2.5/day'],
    [['limit', '2/day', '--money'], 'has no price'],
    [['sum'], "takes only 'limit AMOUNT'"],
    [['--by', 'year'], '--by is day'],
    [['--flow', 'coffee'], 'go with limit'],
  ])('refuses %j', async (argv, why) => {
    const { code, stderr } = await spend(...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });

  it('shows who has spent what, and draws bars on a terminal', async () => {
    await bookSome();
    await spend('limit', '20.5/day', '--money', '--service', service);
    const { stdout } = await spend('--by', 'who');
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'WHO    REQUESTS  FAILED  RETRIES  PRICE',
      'night        10       2        1  20',
      'ann           3       0        1  6',
      'total        13       2        2  26',
      '5 more requests reserved, by clients that run or were killed.',
    ]);
    const drawn = await runInProcess(['spend', '--by', 'flow'], { env, terminal: { columns: 80, rows: 24 } });
    expect(drawn.stdout).toContain(`20     ${'█'.repeat(24)}`);
    const record = JSON.parse((await spend('--by', 'operation', '--json', '--since', '1d')).stdout) as {
      readonly groups: readonly object[];
    };
    expect(record).toMatchObject({ by: 'operation', total: { requests: 13 }, reserved: 5, limits: [{ per: 'day', spent: 36 }] });
    expect(record.groups).toEqual([
      { name: 'rows', requests: 10, money: 20, failed: 2, retries: 1 },
      { name: 'other', requests: 3, money: 6, failed: 0, retries: 1 },
    ]);
  });
});
