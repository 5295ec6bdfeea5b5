import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { fakeClient, type Asked } from './fakeClient.ts';

let outDir: string;
beforeEach(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'trawler-walk-'));
});
afterEach(() => rm(outDir, { recursive: true, force: true }));

describe('a walk that is resumed after each page', () => {
  it('still notices a page that repeats', async () => {
    const flow: FlowDefinition = {
      name: 'repeats',
      stages: { results: { call: 'webSearch', with: { query: 'x' }, pages: 'all', to: 'results.jsonl' } },
    };
    const repeats = ({ query }: Asked): unknown => {
      const page = Math.min(Number(query['page'] ?? 0), 2);
      return { organic_results: [{ position: page, title: `page ${page}`, link: 'https://example.com' }] };
    };
    let requests = 0;
    for (let runs = 1; runs <= 12; runs++) {
      const client = fakeClient(repeats);
      const summary = await lastValueFrom(runFlow(flow, { client, outDir, maxRequests: 1 }));
      requests += client.asked.length;
      if (summary.type === 'summary' && summary.outcome !== 'interrupted') break;
    }
    expect(requests).toBe(4);
    const lines = (await readFile(join(outDir, 'results.jsonl'), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(3);
  });

  it('continues in one direction only', async () => {
    const flow: FlowDefinition = {
      name: 'people',
      stages: { people: { call: 'scholarProfiles', with: { mauthors: 'x', before_author: 'start' }, pages: 'all', to: 'people.jsonl' } },
    };
    const asked: Asked[] = [];
    for (let runs = 0; runs < 4; runs++) {
      const client = fakeClient(({ query }) => {
        const page = Number(query['after_author'] ?? 0);
        return { profiles: [{ author_id: String(page) }], pagination: page < 2 ? { next_page_token: String(page + 1) } : {} };
      });
      await lastValueFrom(runFlow(flow, { client, outDir, maxRequests: 1 }));
      asked.push(...client.asked);
    }
    expect(asked.map(({ query }) => query)).toEqual([
      { mauthors: 'x', before_author: 'start' },
      { mauthors: 'x', after_author: '1' },
      { mauthors: 'x', after_author: '2' },
    ]);
  });

  it.each([2, 3, 4])(
    'loses no page of %i whose token stays the same, though the service counted a request that was cut off',
    async (pages) => {
      const flow: FlowDefinition = {
        name: 'scroll',
        stages: { photos: { call: 'mapsPhotos', with: { data_id: 'x' }, pages: 'all', to: 'photos.jsonl' } },
      };
      const walks: number[] = [];
      const stop = new AbortController();
      const scroll = ({ query }: Asked): unknown => {
        const [, token = walks.push(0)] = /(\d+)/.exec(String(query['next_page_token'])) ?? [];
        const page = walks[Number(token) - 1]!++;
        if (walks.length === 1 && page === 1) stop.abort(); // its response never arrives
        const photos = page < pages ? [{ image: `p${page}` }] : [];
        return { photos, pagination: { next_page_token: `scroll ${token}` } };
      };
      await lastValueFrom(runFlow(flow, { client: fakeClient(scroll), outDir, signal: stop.signal }));
      const client = fakeClient(scroll);
      await lastValueFrom(runFlow(flow, { client, outDir }));
      const rows = (await readFile(join(outDir, 'photos.jsonl'), 'utf8')).trim().split('\n');
      expect(rows.map((row) => (JSON.parse(row) as { readonly image: string }).image)).toEqual(
        Array.from({ length: pages }, (_, page) => `p${page}`),
      );
      // One page tells that its token stays. The walk that begins anew ends with an empty page.
      expect(client.asked).toHaveLength(1 + pages + 1);
    },
  );
});
