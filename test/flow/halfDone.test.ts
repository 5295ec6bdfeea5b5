import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { type FlowDefinition, type FlowSummary, runFlow } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';

const count = 270;
const parameter = (type: string) => ({ type, about: 'a filter' });
const service = defineService({
  name: 'shop',
  operations: {
    shops: defineOperation({
      get: '/shops',
      params: { town: parameter('string') },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      id: 'id',
    } as never),
    rows: defineOperation({
      get: '/rows',
      params: { shop: parameter('string') },
      response: { rows: [{ id: 'string' }], 'next?': 'string' },
      rows: 'rows',
      id: 'id',
      query: { next: '${cursor}' },
      next: 'next',
    } as never),
  },
} as never);

const towns = Array.from({ length: count }, (_, town) => `t${town}`);
const flow: FlowDefinition = {
  name: 'shop',
  stages: {
    shops: { call: 'shops', with: { town: towns }, to: 'shops.jsonl' },
    rows: { call: 'rows', each: 'shops', with: { shop: '$.id' }, pages: 2, to: 'rows.jsonl' },
  },
};

describe('a run that is resumed with many walks half done', () => {
  it('keeps as many requests in flight as it may', async () => {
    let [inFlight, most, sum, requests, firsts] = [0, 0, 0, 0, 0];
    let isHeld = true;
    const stop = new AbortController();
    await using server = await startServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://shop');
      const { town, shop, next } = Object.fromEntries(searchParams);
      const say = (body: object): void => {
        inFlight -= 1;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(body));
      };
      inFlight += 1;
      requests += 1;
      sum += inFlight;
      most = Math.max(most, inFlight);
      if (pathname.endsWith('/shops')) return say({ rows: [{ id: town }] });
      if (next !== undefined && isHeld) {
        if (++firsts === count) stop.abort();
        return;
      }
      const body = next === undefined ? { rows: [{ id: `${shop}a` }], next: shop } : { rows: [{ id: `${shop}b` }] };
      setTimeout(() => say(body), 10 + (requests % 7) * 5);
    });
    const fileSystem = new MemoryFileSystem();
    const run = async (options: { readonly concurrency?: number; readonly signal?: AbortSignal }): Promise<FlowSummary> => {
      await using client = createClient({ service, baseUrl: server.url, rate: 'unlimited', concurrency: options.concurrency ?? 8 });
      return (await lastValueFrom(runFlow(flow, { client, outDir: '/out', fileSystem, ...options }))) as FlowSummary;
    };
    expect(await run({ concurrency: count + 10, signal: stop.signal })).toMatchObject({ outcome: 'interrupted' });
    isHeld = false;
    [inFlight, most, sum, requests] = [0, 0, 0, 0];
    expect(await run({})).toMatchObject({ outcome: 'complete' });
    expect([requests, most]).toEqual([count, 8]);
    // they are counted as they begin: one after the other it would be 1
    expect(sum / requests).toBeGreaterThan(2);
  });
});
