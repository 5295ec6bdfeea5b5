import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openLedger, repairLedger } from '../../src/ledger/index.ts';
import type { LedgerEntry, Settled } from '../../src/ledger/Balance.ts';

const folder = mkdtempSync(join(tmpdir(), 'trawler-ledger-repair-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = Date.UTC(2026, 10, 27, 12);
const settled = (sent: number, left: number): Settled => ({
  day: '2026-11-27',
  requests: left,
  money: 2n * BigInt(left),
  owed: 0n,
  spent: [{ operation: 'rows', requests: sent, money: 2n * BigInt(sent), failed: 0, retries: 0 }],
});
const ask = { requests: 10, price: 2n };
/** Three blocks of ten requests, of which 7, 4 and 9 were sent. */
const steps: readonly Partial<LedgerEntry>[] = [
  { ask },
  { settled: settled(7, 3), ask },
  { settled: settled(4, 6), ask },
  { settled: settled(9, 1) },
];
const entries = steps.map((step, index): LedgerEntry => ({ id: `one.${index + 1}`, at, balance: 'sold 1', who: 'one', ...step }));

it.each([
  [1, 20, 'what later lines say of it'],
  [2, 23, 'the whole block before it'],
  [3, 26, 'the whole block before it'],
])('a repair that loses line %i counts %i of 20 requests: %s', async (lost, requests) => {
  const path = join(folder, `ledger-${lost}`);
  const ledger = await openLedger(path);
  for (const entry of entries.slice(0, 3)) await ledger.book(entry, 4000);
  await ledger.close();
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, lines.map((line, index) => (index === lost - 1 ? `x${line}` : line)).join('\n'));
  expect(await repairLedger(path, { id: 'repair.1', at, who: 'me' })).toMatchObject({ lost: [lost] });

  await ledger.book(entries[3]!, 4000);
  const { sums, reserved } = (await ledger.balances()).get('sold 1')!;
  await ledger.close();
  expect({ requests: sums['ever']!.requests, money: sums['ever']!.money }).toEqual({ requests, money: 2n * BigInt(requests) });
  expect(reserved).toBeGreaterThanOrEqual(0);
});
