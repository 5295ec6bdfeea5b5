import { NetworkError } from '../errors/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { brokerOf } from './QueueConnection.ts';

/**
 * Makes the tables of queues in a PostgreSQL, or brings them up to date. Its user must be allowed to make a schema. Redis needs
 * nothing. Throws a NetworkError if the database isn't there or refuses.
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
