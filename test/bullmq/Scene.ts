import { join } from 'node:path';
import { Queue, type IRedisClient } from 'bullmq';
import { lastValueFrom, tap } from 'rxjs';
import { queueName, leadFlow, startWorker, type FlowWorker, type LeadFlowOptions } from '../../src/bullmq/index.ts';
import type { ClientOptions } from '../../src/client/ClientOptions.ts';
import { createClient } from '../../src/createClient.ts';
import type { FlowDefinition, FlowProgress, FlowSummary } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { spawnMember, type Member } from './crowd.ts';

export const key = 'a-key-that-nobody-else-has';

/** One flow with its service, its workers and its leaders; closes what is its own. */
export class Scene implements AsyncDisposable {
  readonly flow: FlowDefinition;
  readonly outDir: string;
  readonly #queue: string;
  readonly #closing: (() => Promise<unknown>)[] = [];

  constructor(name: string, queue: string, folder: string, stages?: FlowDefinition['stages']) {
    this.flow = {
      name,
      stages: stages ?? {
        places: { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, limit: 5, to: 'places.jsonl' },
        reviews: {
          call: 'mapsReviews',
          each: 'places',
          with: { data_id: '$.data_id' },
          pages: 2,
          keep: { place: '$.title' },
          expect: { rows: { '>=': 10_000 }, filled: { snippet: 1, 'details.meal_type': 0.9 }, rowsPerQuery: { '>=': 10 } },
          to: 'reviews.csv',
        },
      },
    };
    this.outDir = join(folder, name);
    this.#queue = queue;
  }

  async sandbox(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
    const sandbox = await startSandbox({ apiKey: key, ...options });
    this.onClose(() => sandbox.close());
    return sandbox;
  }

  /** A worker in this process. It keeps its jobs however slow the machine is, and takes none from the dead but with a short `lockMs`. */
  async work(baseUrl: string, options: ClientOptions = {}, lockMs = 60_000, tell?: (message: string) => void): Promise<FlowWorker> {
    const client = createClient({ baseUrl, apiKey: key, concurrency: 4, ...options });
    const worker = await startWorker(this.flow, { client, queue: this.#queue, lockMs, tell });
    this.onClose(async () => {
      await worker.close();
      await client.close();
    });
    return worker;
  }

  /** A worker in a process of its own. */
  spawn(baseUrl: string, options: object): Member {
    const member = spawnMember('worker', { flow: this.flow, queue: this.#queue, baseUrl, concurrency: 4, lockMs: 600, ...options }, key);
    this.onClose(async () => void member.child.kill('SIGKILL'));
    return member;
  }

  async lead(options: Partial<LeadFlowOptions> = {}, heard: (progress: FlowProgress) => void = () => undefined): Promise<FlowSummary> {
    const progress$ = leadFlow(this.flow, { queue: this.#queue, outDir: this.outDir, ...options });
    return (await lastValueFrom(progress$.pipe(tap(heard)))) as FlowSummary;
  }

  /** The queue as anybody may look at it. */
  async look(): Promise<{ readonly queue: Queue; readonly redis: IRedisClient }> {
    const queue = new Queue(queueName(this.flow), { connection: { url: this.#queue } });
    this.onClose(() => queue.close());
    return { queue, redis: await queue.getBackend().client };
  }

  onClose(close: () => Promise<unknown>): void {
    this.#closing.push(close);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }
}
