import { describe, expect, it } from 'vitest';
import { startWorker, type StartWorkerOptions } from '../../src/bullmq/index.ts';
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
    await expect(startWorker(flow, options)).rejects.toThrow(new RegExp(`startWorker: ${option} must be`));
    await client.close();
  });

  it('says within seconds that Redis is away, and ends after waitMs', async () => {
    await using client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const said: string[] = [];
    const worker = await startWorker(flow, { client, queue: 'redis://127.0.0.1:1', waitMs: 2500, tell: (message) => said.push(message) });
    await expect(worker.done).rejects.toThrow('Redis at 127.0.0.1:1 has not responded for 3 s');
    expect(said).toEqual(['Redis at 127.0.0.1:1 does not respond (ECONNREFUSED); waiting for it, 3 s at most']);
  });

  it.skipIf(!hasRedis())('continues when Redis is back, and closes at a signal', async () => {
    const redis = await startRedis({ persistent: false });
    await using client = createClient({ baseUrl: 'http://localhost', apiKey: 'k' });
    const said: string[] = [];
    const stop = new AbortController();
    let back: () => void = () => undefined;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const tell = (message: string): void => {
      said.push(message);
      if (message.includes('back')) back();
      else void redis.start();
    };
    const worker = await startWorker(flow, { client, queue: redis.url, signal: stop.signal, tell });
    await new Promise((resolve) => setTimeout(resolve, 800));
    await redis.kill();
    await isBack;
    stop.abort();
    await worker.done;
    expect(said).toHaveLength(2);
    await redis.close();
  });
});
