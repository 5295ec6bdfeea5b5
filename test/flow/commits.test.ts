import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { fakeClient } from '../../src/testing/index.ts';
import { param, reply, startServer } from '../client/startServer.ts';
import { ofTheDay } from '../ofTheDay.ts';

describe('pages of a flow', () => {
  let outDir: string;
  beforeEach(async () => void (outDir = await mkdtemp(join(tmpdir(), 'trawler-commits-'))));
  afterEach(() => rm(outDir, { recursive: true, force: true }));

  const linesOf = async (file: string): Promise<string[]> => (await readFile(join(outDir, file), 'utf8')).trim().split('\n');

  it.each(ofTheDay([3, 4, 7], 1))(
    'are noted at once, so a walk that is killed at its request %i costs that request only',
    async (fatal) => {
      const flow: FlowDefinition = {
        name: 'killed',
        stages: { reviews: { call: 'mapsReviews', with: { data_id: 'a' }, pages: 'all', to: 'reviews.jsonl' } },
      };
      let requests = 0;
      await using server = await startServer((request, response) => {
        if (++requests === fatal) {
          child.kill('SIGKILL');
          return;
        }
        const page = Number(param(request, 'next_page_token') ?? 1);
        const rows = Array.from({ length: page < 10 ? 2 : 1 }, (_, row) => ({ review_id: `${page}-${row}` }));
        reply(response, { reviews_results: rows, ...(page < 10 && { next_page_token: String(page + 1) }) });
      });
      const options = { dist: inject('dist'), url: server.url, apiKey: 'key', flow, outDir, commitMs: 60_000 };
      const crash = fileURLToPath(new URL('crashChild.mjs', import.meta.url));
      const child = spawn(process.execPath, [crash, JSON.stringify(options)], { stdio: 'ignore' });
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      await using client = createClient({ baseUrl: server.url, apiKey: 'key' });
      await lastValueFrom(runFlow(flow, { client, outDir }));
      expect(new Set(await linesOf('reviews.jsonl')).size).toBe(19);
      expect(requests).toBe(10 + 1);
    },
  );

  it('wait in memory until the columns of a CSV file are found in several pages', async () => {
    const service = defineService({
      name: 'odd',
      operations: {
        rows: defineOperation({
          path: '/rows',
          params: { page: { type: 'integer' } },
          response: { rows: 'array' },
          list: 'rows',
          paging: { kind: 'offset', param: 'page', first: 1, step: 1 },
        }),
      },
    });
    const page = (nth: number): object => ({ rows: nth > 3 ? [] : [{ id: nth, [`only${nth}`]: 'a' }] });
    const { client } = fakeClient(service, ({ query }) => page(Number(query['page'] ?? 1)), { latencyMs: 5 });
    const flow: FlowDefinition = { name: 'odd', stages: { rows: { call: 'rows', pages: 'all', to: 'rows.csv' } } };
    await lastValueFrom(runFlow(flow, { client, outDir, commitMs: 60_000 }));
    expect(await linesOf('rows.csv')).toEqual(['id,only1,only2,only3,_extra', '1,a,,,', '2,,a,,', '3,,,a,']);
  });
});
