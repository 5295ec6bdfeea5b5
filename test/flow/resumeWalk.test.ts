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
});
