import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { type FlowDefinition, type FlowSummary, runFlow } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const full = 5;
/** A few at the beginning, most at the end. */
const prices = [1, 3, 8, 13, 21, 30, 37, 40, 43, 44, 46, 47, 48, 50, 51, 52, 54, 55, 56, 58, 59, 60, 61, 63];
const all = prices.map((price) => `r${price}`).toSorted();
const parameter = (type: string) => ({ type, about: 'a filter' });
const service = defineService({
  name: 'shop',
  operations: {
    rows: defineOperation({
      get: '/rows',
      params: { shop: parameter('string'), min: parameter('integer'), max: parameter('integer') },
      response: { rows: [{ id: 'string', at: 'string' }] },
      rows: 'rows',
      id: 'id',

      time: 'at',
    } as never),
  },
  fanOuts: { rowsOfShop: { about: 'The rows of a shop.', call: 'rows', with: { shop: '$.shop', min: '$.min' }, by: ['shop'] } },
} as never);

type Seed = Readonly<Record<string, unknown>>;

/** Runs a stage over these seeds, on a service that returns only the first rows of a query. */
async function run(stage: FlowDefinition['stages'][string], seeds: readonly Seed[], disk = new MemoryDisk(), options: object = {}, at = 1) {
  const asked: Seed[] = [];
  await using server = await startServer((request, response) => {
    const query = Object.fromEntries(new URL(request.url!, 'http://shop').searchParams);
    asked.push(query);
    const { min = '0', max = '99' } = query;
    const found = prices.filter((price) => price >= Number(min) && price <= Number(max)).slice(0, full);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ rows: found.map((price) => ({ id: `r${price}`, at: new Date(Date.UTC(2026, 0, at)).toISOString() })) }));
  });
  disk.put('/seeds.jsonl', Buffer.from(seeds.map((seed) => `${JSON.stringify(seed)}\n`).join('')));
  await using client = createClient({ service, baseUrl: server.url, rate: 'unlimited' });
  const flow = { name: 'shop', stages: { rows: { each: '/seeds.jsonl', to: 'rows.jsonl', ...stage } } };
  const fileSystem = new MemoryFileSystem(disk);
  const running = runFlow(flow, { client, outDir: '/out', fileSystem, concurrency: 1, ...options });
  const { outcome, stages } = (await lastValueFrom(running)) as FlowSummary;
  const lines = disk.read('/out/rows.jsonl')!.toString().trimEnd().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted();
  return { ids, outcome, asked, unchanged: stages[0]!.unchanged };
}

const split = { by: 'range', params: ['min', 'max'], from: 0, to: 63, full };

describe('a query that was sent before', () => {
  it('counts as answered with what it gave then, whichever piece of a range it equals', async () => {
    const stage = { call: 'rows', with: { min: '$.min' }, split };
    for (let min = 0; min < 64; min += 4) {
      const { asked, ...found } = await run(stage, [{ min }, { min: 0 }]);
      expect({ min, ...found }).toMatchObject({ min, outcome: 'complete', ids: all });
      expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(asked.length);
    }
  });

  it('is not the piece of a range that differs only by what a ready fan-out fills', async () => {
    const found = await run({ call: 'rowsOfShop', split }, [{ shop: 'a', min: 0 }]);
    expect(found).toMatchObject({ outcome: 'complete', ids: all });
  });

  it('is not one that an update skips: found again, with another value of unless, it is sent', async () => {
    const stage = { call: 'rows', with: { shop: '$.shop' }, since: { unless: '$.count' } };
    const disk = new MemoryDisk();
    await run(stage, [{ shop: 'a', count: 5 }], disk);
    const again = [
      { shop: 'a', count: 5 },
      { shop: 'a', count: 5 },
    ];
    expect(await run(stage, again, disk, { update: true })).toMatchObject({ asked: [], unchanged: 1 });
    const { asked } = await run(stage, [...again, { shop: 'a', count: 6 }], disk, { update: true }, 2);
    expect(asked).toEqual([{ shop: 'a' }]);
  });
});
