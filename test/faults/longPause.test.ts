import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow } from '../../src/flow/index.ts';
import { reply, startServer, type TestServer } from '../client/startServer.ts';
import { startSandbox } from '../../src/sandbox/index.ts';

const flow = {
  name: 'towns',
  stages: { places: { call: 'mapsSearch', with: { query: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] }, pages: 1, to: 'places.jsonl' } },
} as const;

/** A server that says this with each page of places. */
async function saying(headers: { readonly [name: string]: string }): Promise<TestServer & { readonly requests: () => number }> {
  let requests = 0;
  const server = await startServer((_, response) => {
    requests++;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    reply(response, { search_results: [{ title: 'a place', position: 1 }] });
  });
  return Object.assign(server, { requests: () => requests });
}

describe('a flow whose service asks for a longer pause than maxRetryAfterMs', () => {
  it('stops, says until when, fails no query, and is resumed by the same command', async () => {
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-pause-'));
    const run = async (faults: Parameters<typeof startSandbox>[0]) => {
      await using sandbox = await startSandbox(faults);
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 2, pathPrefix: '/api/v1/engine' });
      const last = await lastValueFrom(runFlow(flow, { client, outDir }));
      return { summary: last.type === 'summary' ? last : undefined, asked: sandbox.count() };
    };
    const first = await run({ faults: [{ fault: 'status', status: 429, retryAfter: 3600, nth: [4, 5] }] });
    expect(first.summary).toMatchObject({ outcome: 'interrupted' });
    expect(first.summary!.because).toMatch(/^the service asks for a pause until \d{4}-\d\d-\d\dT/);
    expect(first.asked).toBeLessThanOrEqual(5);
    const second = await run({});
    expect(second.summary).toMatchObject({ outcome: 'capped' });
    expect(second.asked).toBeLessThanOrEqual(8 - 2);
    expect((await readFile(join(outDir, 'places.jsonl'), 'utf8')).trim().split('\n').length).toBeGreaterThan(100);
    await rm(outDir, { recursive: true });
  });

  it('does the same if a header of a good page asks for it', async () => {
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-pause-'));
    await using server = await saying({ ratelimit: 'r=0;t=86400' });
    await using client = createClient({ baseUrl: server.url, apiKey: 'k3y-for-tests-only', concurrency: 1 });
    const last = await lastValueFrom(runFlow(flow, { client, outDir }));
    expect(last).toMatchObject({
      outcome: 'interrupted',
      because: expect.stringMatching(/^the service asks for a pause until \d{4}/) as string,
    });
    expect(server.requests()).toBe(1);
    expect((await readFile(join(outDir, 'places.jsonl.part'), 'utf8')).trim().split('\n')).toHaveLength(1);
    await rm(outDir, { recursive: true });
  });

  it('says once that a header is ignored, because it cannot be true, and goes on', async () => {
    const outDir = await mkdtemp(join(tmpdir(), 'trawler-pause-'));
    await using server = await saying({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' });
    await using client = createClient({ baseUrl: server.url, apiKey: 'k3y-for-tests-only' });
    const notices: string[] = [];
    const run = runFlow(flow, { client, outDir }).pipe(tap((event) => void (event.type === 'notice' && notices.push(event.message))));
    expect(await lastValueFrom(run)).toMatchObject({ type: 'summary', requests: 8 });
    expect(notices.filter((notice) => notice.includes('x-ratelimit-reset: 9999999999'))).toHaveLength(1);
    await rm(outDir, { recursive: true });
  });
});
