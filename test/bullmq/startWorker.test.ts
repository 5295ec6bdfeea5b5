import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { queueName, startWorker, type StartWorkerOptions } from '../../src/bullmq/index.ts';
import { queueFormat } from '../../src/bullmq/Result.ts';
import { createClient } from '../../src/createClient.ts';
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
    await expect(startWorker(flow, options)).rejects.toThrow(new RegExp(`startWorker: ${option} must (be|come)`));
    await client.close();
  });

  it.concurrent('says within seconds that Redis is away, and ends after waitMs', async () => {
    await using client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const said: string[] = [];
    const worker = await startWorker(flow, { client, queue: 'redis://127.0.0.1:1', waitMs: 2500, tell: (message) => said.push(message) });
    await expect(worker.done).rejects.toThrow('Redis at 127.0.0.1:1 has not responded for 3 s');
    expect(said).toEqual(['Redis at 127.0.0.1:1 does not respond (ECONNREFUSED); waiting for it, 3 s at most']);
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
      else if (message.includes('does not respond')) void redis.start();
    };
    const worker = await startWorker(flow, { client, queue: redis.url, signal: stop.signal, tell });
    await new Promise((resolve) => setTimeout(resolve, 800));
    await redis.kill();
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

  it.skipIf(!hasRedis()).each([
    ['alone', 1],
    ['two to a job', 2],
  ])('does as many pages at once as its concurrency says, %s', async (name, size) => {
    const redis = await startRedis({ persistent: false });
    const held: ServerResponse[] = [];
    const service = createServer((_, response) => void held.push(response)).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    await using client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', concurrency: 20, rate: 'unlimited' });
    const own = { ...flow, name: `worker ${name}` };
    const worker = await startWorker(own, { client, queue: redis.url, concurrency: 8 });
    const queue = new Queue(queueName(own), { connection: { url: redis.url } });
    const pages = Array.from({ length: 20 }, (_, nth) => ({
      id: `p${nth}`,
      stage: 'news',
      operation: 'newsSearch',
      query: { q: `${nth}` },
    }));
    const jobs = Array.from({ length: 20 / size }, (_, nth) => pages.slice(nth * size, (nth + 1) * size));
    await queue.addBulk(jobs.map((some) => ({ name: 'news', data: { format: queueFormat, pages: some } })));
    for (let done = 0; done < 20; done++) {
      await expect.poll(() => held.length).toBe(Math.min(8, 20 - done));
      held.shift()!.writeHead(404).end();
    }
    await expect.poll(() => queue.getCompletedCount()).toBe(jobs.length);
    await worker.close();
    await queue.close();
    service.close();
    await redis.close();
  });
});
