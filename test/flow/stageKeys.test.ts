import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { loadFlow, runFlow, type FlowSummary } from '../../src/flow/index.ts';
import type { StageDefinition } from '../../src/flow/definition/flowFormat.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import type { OpenDestination, RowDestination } from '../../src/sinks/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { failWith, fakeClient } from '../../src/testing/index.ts';

const spot = { latitude: 'number', longitude: 'number' } as const;
const shop = defineService({
  name: 'shop',
  operations: {
    products: defineOperation({
      get: '/products',
      params: {
        q: { type: 'string', about: 'words' },
        ll: { type: 'string', about: 'a view' },
        kind: { type: 'string', about: 'a kind' },
        sort: { type: 'string', about: 'the order', oneOf: ['newest', 'name'] },
      },
      response: {
        rows: [{ id: 'string', name: 'string', price: 'integer', stock: 'integer', at: 'string', spot }],
        others: [{ id: 'string' }],
        next: 'string|null',
      },
      rows: 'rows',
      id: 'id',
      time: 'at',
      order: { sort: 'newest' },
      query: { token: '${cursor}' },
      next: 'next',
      splits: {
        full: 4,
        area: {
          param: 'll',
          write: '@{latitude},{longitude},{zoom}z',
          latitude: 'spot.latitude',
          longitude: 'spot.longitude',
          words: 'q',
          zoom: [3, 4],
        },
      },
    }),
  },
  fanOuts: { sameProducts: { call: 'products', with: { q: '$.name' }, claims: '$.stock', about: 'products of each name' } },
});

/** Two pages of products. On later days one is gone. */
function respond({ q, cursor }: { readonly q?: unknown; readonly cursor?: unknown }, day: number): object {
  if (q === 'bad') throw failWith(400);
  if (q === 'listless') return { next: null };
  const numbers = cursor === undefined ? [1, 2, 2, 3] : [4, 5];
  const rows = numbers
    .filter((number) => day === 0 || number !== 3)
    .map((number) => ({
      id: `${number}`,
      name: `tea ${number}`,
      price: number,
      stock: 50,
      at: `2026-01-0${9 - number}`,
      spot: { latitude: 0.5, longitude: 0.5 },
    }));
  return {
    rows,
    others: [{ id: 'other' }],
    next: cursor === undefined ? 'two' : null,
  };
}

interface Example<Key extends keyof StageDefinition> {
  /** The value of the key. */
  readonly is: NonNullable<StageDefinition[Key]>;
  /** The stage without it. */
  readonly beside?: Partial<StageDefinition>;
  readonly parent?: StageDefinition;
  /** The run is brought up to date on the next day. */
  readonly updated?: true;
}

const parent: StageDefinition = { call: 'products', with: { q: 'parent' } };

/** For each key of a stage a value that changes what a run sends or writes, or how it ends. */
const examples: { readonly [Key in Exclude<keyof StageDefinition, 'call' | 'service'>]-?: Example<Key> } = {
  each: { is: 'seeds.csv', beside: { with: { q: '$.word' } } },
  when: { is: { price: { '>': 2 } }, beside: { each: 'parent', with: { q: '$.name' } }, parent },
  with: { is: { q: 'coffee' } },
  pages: { is: 1 },
  limit: { is: 2 },
  rows: { is: 'others' },
  missing: { is: 'empty', beside: { with: { q: 'listless' } } },
  keep: { is: { from: '$.name' }, beside: { each: 'parent' }, parent },
  where: { is: { price: { '>': 2 } } },
  until: { is: { name: { contains: 'TEA 3' } }, beside: { pages: 'all' } },
  pick: { is: ['name'] },
  by: { is: 'id' },
  to: { is: 'other.csv' },
  mode: { is: 'replace', beside: { to: 'table:products', by: 'id' } },
  provenance: { is: true },
  onError: { is: 'fail', beside: { with: { q: 'bad' } } },
  tolerance: { is: { rows: 99 }, beside: { each: 'parent', call: 'sameProducts', pages: 'all' }, parent },
  expect: { is: { rows: { '>=': 100 } } },
  cover: { is: { within: [0, 0, 1, 1] }, beside: { with: { q: 'tea' } } },
  grid: { is: { within: [0, 0, 1, 1], points: 4 }, beside: { with: { q: 'tea' } } },
  split: { is: { by: 'kind', values: ['green', 'black'] }, beside: { with: { q: 'tea' } } },
  since: { is: { lookback: '1h' }, beside: { by: 'id', pages: 'all', to: 'rows.jsonl' }, updated: true },
  gone: { is: 'drop', beside: { by: 'id', pages: 'all', to: 'rows.jsonl' }, updated: true },
  seen: { is: true },
};

/** What a run sends, what it writes, and how it ends. */
async function outcomeOf(stage: Partial<StageDefinition>, { parent: above, updated }: Example<keyof StageDefinition>): Promise<object> {
  const fileSystem = new MemoryFileSystem();
  const stages = { ...(above && { parent: above }), products: { to: 'rows.jsonl', call: 'products', ...stage } };
  write(fileSystem, '/flow.json', JSON.stringify({ name: 'keys', stages }));
  write(fileSystem, '/seeds.csv', 'word\ngreen\nblack\n');
  const modes: string[] = [];
  const table: RowDestination = {
    open: ({ mode }) => {
      modes.push(mode);
      return Promise.resolve(anyTable);
    },
  };
  const sent: object[] = [];
  const run = async (day: number): Promise<string> => {
    const { client } = fakeClient(shop, ({ query }) => (sent.push(query), respond(query, day)));
    try {
      const flow = await loadFlow('/flow.json', { fileSystem, service: shop, destinations: ['table'] });
      const summary = (await lastValueFrom(
        runFlow(flow, { client, outDir: '/out', update: day > 0, destinations: { table } }),
      )) as FlowSummary;
      return `${summary.outcome}: ${summary.stages.map(({ outcome, rows }) => `${outcome} ${rows}`).join(', ')}`;
    } catch (error) {
      return String(error);
    } finally {
      await client.close();
    }
  };
  const ends = [await run(0), ...(updated ? [await run(1)] : [])];
  const written = ['rows.jsonl', 'other.csv'].map((name) => fileSystem.disk.read(`/out/${name}`)?.toString());
  return { sent, ends, modes, written };
}

function write(fileSystem: MemoryFileSystem, path: string, text: string): void {
  const file = fileSystem.open(path, 'wx');
  file.writeSync(Buffer.from(text), 0, text.length, 0);
  file.close();
}

/** Takes all rows, and forgets them. */
const anyTable: OpenDestination = {
  recover: () => Promise.resolve(undefined),
  load: () => Promise.resolve({ rejected: [] }),
  commit: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

describe('each key of a stage', () => {
  it.each(Object.entries(examples) as [keyof typeof examples, Example<keyof StageDefinition>][])('is read: %s', async (key, example) => {
    const { beside = {}, is } = example;
    const [without, having] = await Promise.all([outcomeOf(beside, example), outcomeOf({ ...beside, [key]: is }, example)]);
    expect(having).not.toEqual(without);
  });
});
