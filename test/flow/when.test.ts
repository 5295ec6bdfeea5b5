import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { checkFlow, planFlow, loadFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { fakeClient } from '../../src/testing/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const row = { id: 'string', stars: 'integer' } as const;
const shop = defineService({
  name: 'shop',
  operations: {
    items: defineOperation({ get: '/items', params: {}, row, rows: 'rows', id: 'id' }),
    events: defineOperation({ get: '/events', params: {}, row, rows: 'rows', id: 'id' }),
    details: defineOperation({ get: '/details', params: { item: { type: 'string' } }, row: { id: 'string' }, rows: 'rows', id: 'id' }),
  },
});

function respond({ operation, query }: { readonly operation: string; readonly query: { readonly item?: unknown } }): object {
  if (operation === 'details') return { rows: [{ id: String(query.item) }] };
  const numbers = operation === 'items' ? [1, 2, 3] : [3, 4];
  return { rows: numbers.map((stars) => ({ id: `i${stars}`, stars })) };
}

async function run(stages: FlowDefinition['stages'], seeds?: string) {
  const fileSystem = new MemoryFileSystem();
  const write = (path: string, text: string): void => {
    const file = fileSystem.open(path, 'wx');
    file.writeSync(Buffer.from(text), 0, text.length, 0);
    file.close();
  };
  write('/flow.json', JSON.stringify({ name: 'when', stages }));
  if (seeds !== undefined) write('/seeds.csv', seeds);
  const flow = await loadFlow('/flow.json', { fileSystem, service: shop });
  const { client, requests } = fakeClient(shop, respond as never);
  const summary = (await lastValueFrom(runFlow(flow, { client, outDir: '/out', concurrency: 1 }))) as FlowSummary;
  await client.close();
  const asked = requests.flatMap(({ query }) => ('item' in query ? [query.item] : []));
  return { summary, asked, plan: await planFlow(flow), rows: fileSystem.disk.read('/out/items.jsonl')?.toString().split('\n').length };
}

describe('when', () => {
  it('says which rows lead to a query. All of them are written', async () => {
    const { asked, rows, summary, plan } = await run({
      items: { call: 'items', to: 'items.jsonl' },
      details: { call: 'details', each: 'items', when: { stars: { '>': 1 } }, with: { item: '$.id' } },
    });
    expect([asked, rows, summary.outcome]).toEqual([['i2', 'i3'], 4, 'complete']);
    expect(plan.stages[1]).toMatchObject({ queries: { atLeast: 0 } });
    expect(plan.stages[1]!.why).toContain('when: rows that it refuses lead to no query');
  });

  it('holds for seeds, which count as used', async () => {
    const details = { call: 'details', each: 'seeds.csv', when: { wanted: 'yes' }, with: { item: '$.id' } };
    const { asked, summary } = await run({ details }, 'id,wanted\na,yes\nb,no\nc,yes\n');
    expect([asked, summary.stages[0]!.unused]).toEqual([['a', 'c'], undefined]);
  });

  it('lets a list and a feed of changes lead to the same queries, each once', async () => {
    const { asked } = await run({
      items: { call: 'items', to: 'items.jsonl' },
      events: { call: 'events' },
      details: { call: 'details', each: ['items', 'events'], when: { stars: { '>=': 2 } }, with: { item: '$.id' } },
    });
    expect([asked.length, new Set(asked)]).toEqual([3, new Set(['i2', 'i3', 'i4'])]);
  });

  it('is checked before anything is sent', () => {
    const faults = (stages: FlowDefinition['stages']) =>
      checkFlow({ name: 'x', stages }, { service: shop }).map(({ path, message }) => `${path}: ${message}`);
    const details = { call: 'details', when: { star: 3 }, with: { item: '$.id' } };
    expect(faults({ items: { call: 'items' }, details: { ...details, each: 'items' } })).toEqual([
      "stages.details.when.star: rows of stage items (items) have no 'star'; did you mean 'stars'?",
    ]);
    expect(faults({ details: { ...details, with: { item: 'a' } } })).toEqual([
      "stages.details.when.star: '$.star' reads a row, but the stage has no input rows: name them with 'each'",
    ]);
  });
});
