import type { ConnectionOptions } from 'bullmq';
import { parsedUrl } from '../../operators/kit/parsedUrl.ts';
import { number, type OptionKind } from '../../operators/options/index.ts';
import { NetworkError } from '../errors/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import type { Broker } from './Broker.ts';
import { PostgresBroker } from './PostgresBroker.ts';
import { RedisBroker } from './RedisBroker.ts';

/** The location of the queue: the URL of a Redis or a PostgreSQL, or a BullMQ `connection` to Redis. */
export type QueueConnection = string | ConnectionOptions;

/** The option `waitMs`: how long the database may be away. */
export const waitOption: OptionKind<number, undefined> = number({ from: 0, to: 2 ** 31 - 1 });

/** The broker for a queue. Throws unless the queue is a URL or connection options. */
export function brokerOf(caller: string, queue: QueueConnection): Broker {
  if (typeof queue === 'object' && queue !== null) return new RedisBroker(queue);
  const [, kind] = (typeof queue === 'string' && parsedUrl(queue) && /^(redis|postgres)(?:s|ql)?:\/\/./.exec(queue)) || [];
  if (kind === 'redis') return new RedisBroker(queue);
  if (kind === 'postgres') return new PostgresBroker(queue);
  throw new RangeError(`${caller}: the queue must be a URL such as redis://host:6379 or postgres://host/database, or connection options`);
}

/** The name of a flow's queue: `trawler-` and the flow's name, with `-` for characters other than letters, digits, `.`, `_` and `-`. */
export function queueName(flow: { readonly name: string }): string {
  return `trawler-${flow.name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}`;
}

/**
 * Creates the tables for queues in a PostgreSQL, or updates them. The database's user must be allowed to create a schema. For Redis it
 * only checks the connection. Throws a NetworkError if the database can't be reached or refuses.
 *
 * ```ts
 * await initQueue('postgres://crawler@10.0.0.5/crawls');
 * ```
 */
export async function initQueue(queue: string): Promise<void> {
  const broker = brokerOf('initQueue', queue);
  try {
    await broker.init();
  } catch (cause) {
    throw new NetworkError(broker.hopeless(cause) ?? `${broker.name} can't be reached: ${messageOf(cause)}`, { cause });
  }
}
