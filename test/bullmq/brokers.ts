import { initQueue } from '../../src/bullmq/index.ts';
import { postgresBin, startPostgres } from '../startPostgres.ts';
import { hasRedis, startRedis } from './startRedis.ts';

/** A server of the test's own that holds queues. */
export interface TestBroker {
  readonly url: string;
  /** Kills it as a power cut would, and starts it again. `forget`: without anything that it had. */
  restart(forget?: 'forget'): Promise<void>;
  close(): Promise<void>;
}

interface BrokerKind {
  readonly broker: string;
  readonly start: () => Promise<TestBroker>;
}

/** Those that can be started here. */
export const brokers: readonly BrokerKind[] = [
  ...(hasRedis() ? [{ broker: 'Redis', start: redisBroker }] : []),
  ...(postgresBin === undefined ? [] : [{ broker: 'PostgreSQL', start: postgresBroker }]),
];

async function redisBroker(): Promise<TestBroker> {
  const redis = await startRedis();
  const restart = async (forget?: 'forget'): Promise<void> => {
    await redis.kill();
    await redis.start(forget);
  };
  return { url: redis.url, restart, close: () => redis.close() };
}

async function postgresBroker(): Promise<TestBroker> {
  const postgres = await startPostgres();
  await initQueue(postgres.url);
  const restart = async (forget?: 'forget'): Promise<void> => {
    await postgres.killAndRestart();
    if (forget !== undefined) await postgres.psql('TRUNCATE trawler_queue.job, trawler_queue.meta, trawler_queue.trawler_run CASCADE;');
  };
  return { url: postgres.url, restart, close: () => postgres.close() };
}
