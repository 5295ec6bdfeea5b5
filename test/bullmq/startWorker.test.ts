import type { ServerResponse } from 'node:http';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { queueName, startWorker, type StartWorkerOptions } from '../../src/bullmq/index.ts';
import { queueFormat } from '../../src/bullmq/JobData.ts';
import { createClient } from '../../src/createClient.ts';
import { startServer } from '../client/startServer.ts';
import { hasRedis, startRedis } from './startRedis.ts';

const flow = { name: 'worker', stages: { news: { call: 'newsSearch', with: { q: 'tea' }, to: 'news.jsonl' } } } as const;

describe('startWorker', () => {
  it.each([
    ['queue', 'http://localhost'],
    ['client', {}],
    ['concurrency', 0],
    ['concurrency', 1.5],
    ['lockMs', 10],
    ['waitMs', -1],
  ])('refuses %s %j at once', async (option, value) => {
    const client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const options = { client, queue: 'redis://127.0.0.1:1', [option]: value } as unknown as StartWorkerOptions;
    await expect(startWorker(flow, options)).rejects.toThrow(new RegExp(`startWorker: (the )?${option} must (be|come)`));
    await client.close();
  });

  it.concurrent('says within seconds that Redis is away, and ends after waitMs', async () => {
    await using client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const said: string[] = [];
    const worker = await startWorker(flow, { client, queue: 'redis://127.0.0.1:1', waitMs: 1600, tell: (message) => said.push(message) });
    await expect(worker.done).rejects.toThrow('Redis at 127.0.0.1:1 has not responded for 2 s');
    expect(said).toEqual(['Redis at 127.0.0.1:1 does not respond (ECONNREFUSED); waiting for it, 2 s at most']);
  });

  it.skipIf(!hasRedis()).concurrent('continues when Redis is back, and closes at a signal', async () => {
    const redis = await startRedis({ persistent: false });
    await using client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const said: string[] = [];
    const stop = new AbortController();
    let back: () => void = () => undefined;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const tell = (message: string): void => {
      said.push(message);
      if (message.includes('back')) back();
      else void (message.includes('does not respond') ? redis.start() : redis.kill());
    };
    const worker = await startWorker(flow, { client, queue: redis.url, signal: stop.signal, tell });
    await isBack;
    stop.abort();
    await worker.done;
    expect(said).toEqual([
      `connected to Redis at 127.0.0.1:${redis.port}: takes jobs of ${queueName(flow)}, for 8 requests at once`,
      expect.stringContaining('does not respond'),
      expect.stringContaining('is back'),
    ]);
    await redis.close();
  });

  it.skipIf(!hasRedis()).concurrent('does as many pages at once as its concurrency says, alone or two to a job', async ({ expect }) => {
    const redis = await startRedis({ persistent: false });
    const held: ServerResponse[] = [];
    let most = 0;
    await using service = await startServer((_, response) => void (most = Math.max(most, held.push(response))));
    await using client = createClient({ baseUrl: service.url, apiKey: 'k', concurrency: 20, rate: 'unlimited' });
    const own = { ...flow, name: 'worker of pages' };
    const worker = await startWorker(own, { client, queue: redis.url, concurrency: 8 });
    const queue = new Queue(queueName(own), { connection: { url: redis.url } });
    const page = (nth: number): object => ({ id: `p${nth}`, stage: 'news', operation: 'newsSearch', query: { q: `${nth}` } });
    const alone = Array.from({ length: 10 }, (_, nth) => [page(nth)]);
    const pairs = Array.from({ length: 5 }, (_, nth) => [page(10 + 2 * nth), page(11 + 2 * nth)]);
    await queue.addBulk([...alone, ...pairs].map((pages) => ({ name: 'news', data: { format: queueFormat, pages } })));
    for (let done = 0; done < 20; done++) {
      await expect.poll(() => held.length, { interval: 5 }).toBe(Math.min(8, 20 - done));
      held.shift()!.writeHead(404).end();
    }
    await expect.poll(() => queue.getCompletedCount(), { interval: 5 }).toBe(15);
    expect(most).toBe(8);
    await worker.close();
    await queue.close();
    await redis.close();
  });
});
