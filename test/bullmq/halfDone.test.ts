import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { startWorker } from '../../src/bullmq/index.ts';
import type { FlowDefinition, FlowSummary } from '../../src/flow/index.ts';
import { startServer } from '../client/startServer.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers } from './brokers.ts';
import { spawnMember } from './crowd.ts';

const count = 60;
const flow: FlowDefinition = {
  name: 'half',
  stages: {
    reviews: {
      call: 'mapsReviews',
      with: { data_id: Array.from({ length: count }, (_, place) => `p${place}`) },
      pages: 2,
      to: 'reviews.jsonl',
    },
  },
};

/** A service that holds the second pages back, and counts what is in flight. */
async function startReviews() {
  let [inFlight, sum, requests] = [0, 0, 0];
  let isHeld = true;
  let tellHeld: () => void;
  const held = new Promise<void>((resolve) => (tellHeld = resolve));
  let second = 0;
  const server = await startServer((request, response) => {
    const { data_id: place, next_page_token: token } = Object.fromEntries(new URL(request.url!, 'http://reviews').searchParams);
    inFlight += 1;
    requests += 1;
    sum += inFlight;
    response.once('close', () => (inFlight -= 1));
    if (token !== undefined && isHeld) {
      if (++second === count) tellHeld();
      return;
    }
    const reviews_results = [{ review_id: `${place}.${token ?? 'first'}`, snippet: 'good' }];
    const data = token === undefined ? { reviews_results, pagination: { next_page_token: 'second' } } : { reviews_results };
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(JSON.stringify({ code: 200, message: 'ok', data })), 10 + (requests % 7) * 5);
  });
  const release = (): void => {
    isHeld = false;
    [sum, requests] = [0, 0];
  };
  return { server, held, release, counts: () => ({ requests, mean: sum / requests }) };
}

describe.each(ofTheDay(brokers, 1))('a run over $broker whose leader was killed with many walks half done', ({ start }) => {
  it('keeps as many requests in flight as it may', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-half-'));
    const outDir = join(folder, 'out');
    const broker = await start();
    const { server, held, release, counts } = await startReviews();
    const crowd = async (concurrency: number): Promise<AsyncDisposable> => {
      const client = createClient({ baseUrl: server.url, apiKey: 'any', rate: 'unlimited', concurrency });
      const worker = await startWorker(flow, { client, queue: broker.url });
      const close = async (): Promise<void> => {
        await worker.close();
        await client.close();
      };
      return { [Symbol.asyncDispose]: close };
    };
    const lead = () => spawnMember('leader', { flow, queue: broker.url, outDir });
    try {
      const leader = lead();
      const many = await crowd(count + 10);
      await held;
      leader.child.kill('SIGKILL');
      await leader.exited;
      for (const socket of server.sockets) socket.destroy();
      await many[Symbol.asyncDispose]();
      release();
      await using _few = await crowd(8);
      const { code, out } = await lead().exited;
      expect({ code, outcome: (JSON.parse(out) as FlowSummary).outcome }).toEqual({ code: 0, outcome: 'complete' });
      const { requests, mean } = counts();
      // They are counted as they begin: one after the other it would be 1.
      expect(mean).toBeGreaterThan(2);
      expect(requests).toBe(count);
    } finally {
      await server[Symbol.asyncDispose]();
      await broker.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
