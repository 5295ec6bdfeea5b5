import { describe, expect, it } from 'vitest';
import { lastValueFrom } from 'rxjs';
import { planFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { defineOperation, defineService, searchService } from '../../src/index.ts';
import type { PriceSpec } from '../../src/contract/index.ts';
import { fakeClient } from '../../src/testing/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const serviceWith = (price: PriceSpec | undefined) =>
  defineService({
    name: 'notes',
    price,
    operations: {
      notes: defineOperation({
        get: '/notes',
        query: { page: '${page:1}' },
        rows: 'rows',
        row: { id: 'string' },
        id: 'id',
        pages: 'pages',
      }),
    },
  });

async function run(price: PriceSpec | undefined, pages?: number | 'all'): Promise<FlowSummary> {
  const service = serviceWith(price);
  const { client } = fakeClient(service, ({ query }) => {
    const { page = 1 } = query as { readonly page?: number };
    return { pages: 3, rows: page > 3 ? [] : [{ id: `${page}` }] };
  });
  const flow = { name: 'paged', service, stages: { notes: { call: 'notes', pages, to: 'notes.jsonl' } } } as FlowDefinition;
  const fileSystem = new MemoryFileSystem();
  const summary = (await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem }))) as FlowSummary;
  await client.close();
  return summary;
}

describe('a stage that does not say pages', () => {
  it.each<readonly [string, PriceSpec | undefined]>([
    ['no request has a price', undefined],
    ['its operation is free', { default: 2, notes: 0 }],
    ['all but others are free', { default: 0 }],
  ])('takes all pages where %s', async (_, price) => {
    expect(await run(price)).toMatchObject({ outcome: 'complete', stages: [{ rows: 3 }] });
  });

  it.each<readonly [string, PriceSpec]>([
    ['each request has a price', { default: 2 }],
    ['its operation has a price', { default: 0, notes: 1 }],
    ['a response tells its price', { at: 'header:x-cost' }],
    ['nobody knows the price', {}],
  ])('takes one page where %s, and says that a limit ended it', async (_, price) => {
    expect(await run(price)).toMatchObject({ outcome: 'capped', stages: [{ rows: 1, limits: ['pages: 1 (the default)'] }] });
    expect(await run(price, 'all')).toMatchObject({ outcome: 'complete', stages: [{ rows: 3 }] });
  });

  it('takes one page of the search service', async () => {
    const stages = { web: { call: 'webSearch', with: { query: 'tea' }, to: 'web.jsonl' } };
    expect((await planFlow({ name: 'web', service: searchService, stages })).requests).toEqual({ atLeast: 1, atMost: 1 });
  });
});
