import { brokerOf } from './QueueConnection.ts';

/**
 * Makes the tables of queues in a PostgreSQL, or brings them up to date. Its user must be allowed to make a schema. Redis needs
 * nothing.
 *
 * ```ts
 * await initQueue('postgres://crawler@10.0.0.5/crawls');
 * ```
 */
export async function initQueue(queue: string): Promise<void> {
  await brokerOf('initQueue', queue).init();
}
