import { lastValueFrom } from 'rxjs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { defineOperation, defineService, type Service } from '../../src/contract/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { fakeClient, type FakeRequest } from '../../src/testing/index.ts';
import { walkInPipe } from '../walkInPipe.ts';

const service: Service = defineService({
  name: 'full',
  operations: {
    search: defineOperation({
      name: 'search',
      get: '/search',
      about: 'rows of a world',
      params: { world: { type: 'string', required: true, about: 'which' } },
      response: { rows: [{ id: 'string' }], 'next?': 'string|null' },
      rows: 'rows',
      query: { after: '${cursor}' },
      next: 'next',
    }),
  },
});
const worlds = Array.from({ length: 60 }, (_, world) => String(world));
const flow: FlowDefinition = {
  name: 'full',
  service,
  stages: { rows: { call: 'search', with: { world: worlds }, pages: 'all', to: 'rows.jsonl' } },
};

/** Three full pages for each world. `isFalse`: the first of them has no token, the first time. */
function responses(isFalse: (world: number) => boolean = () => false): (request: FakeRequest) => object {
  const asked = new Set<string>();
  return ({ query }) => {
    const [world, page] = [String(query['world']), Number(query['cursor'] ?? 1)];
    const isLost = page === 1 && !asked.has(world) && isFalse(Number(world));
    asked.add(world);
    const rows = Array.from({ length: 10 }, (_, row) => ({ id: `${world} ${page} ${row}` }));
    return { rows, next: page < 3 && !isLost ? String(page + 1) : null };
  };
}

describe('rechecks of a flow', () => {
  const outDir = '/out';
  let fileSystem: MemoryFileSystem;
  beforeEach(() => void (fileSystem = new MemoryFileSystem()));
  const linesOf = (name: string): string[] => fileSystem.disk.read(`/out/${name}`)!.toString().split('\n').slice(0, -1);

  /** Runs the flow until it is done, stopped after so many requests each time. */
  async function run(respond: (request: FakeRequest) => object, maxRequests = 1e9): Promise<{ requests: string[]; summary: FlowSummary }> {
    const requests: string[] = [];
    for (let run = 0; ; run++) {
      if (run > 20) throw new Error(`it is never done; ${requests.length} requests`);
      const fake = fakeClient(service, respond, { maxRequests, retry: { maxAttempts: 1 } });
      const summary = (await lastValueFrom(runFlow(flow, { client: fake.client, outDir, fileSystem, concurrency: 1 }))) as FlowSummary;
      requests.push(...fake.requests.map(({ query }) => JSON.stringify(query)));
      await fake.client.close();
      if (summary.outcome !== 'interrupted') return { requests, summary };
    }
  }

  const ends: readonly (readonly [string, (world: number) => boolean, requests: number, fullEnds: number])[] = [
    ['all ends are true', () => false, 60 * 4, 0],
    ['every tenth end is false', (world) => world % 10 === 3, 54 * 4 + 6, 6],
  ];
  it.each(ofTheDay(ends, 1))('are those of a pipe, also where the run is stopped again and again: %s', async (_, isFalse, count, most) => {
    const piped = await walkInPipe('search', worlds, responses(isFalse), service);
    const { requests, summary } = await run(responses(isFalse), 25);
    expect(requests).toEqual(piped.requests);
    expect(requests).toHaveLength(count);
    expect(linesOf('rows.jsonl')).toEqual(piped.rows);
    const { thinPages = 0, fullEnds = 0, failed } = summary.stages[0]!;
    expect({ failed, thinPages, fullEnds }).toEqual({ failed: 0, thinPages: piped.thinPages, fullEnds: piped.fullEnds });
    expect(fullEnds).toBe(most);
  });
});
