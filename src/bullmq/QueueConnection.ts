import type { ConnectionOptions } from 'bullmq';
import { number, type OptionKind } from '../../operators/options/index.ts';

/** The location of the queue: a Redis URL, or a BullMQ `connection`. */
export type QueueConnection = string | ConnectionOptions;

/** How long Redis may be away. */
export const waitOption: OptionKind<number, undefined> = number({ from: 0, to: 2 ** 31 - 1 });

/** How to connect. `extra` are options of ioredis. They have no effect on a client that was made elsewhere. */
export function connectionOf(queue: QueueConnection, extra: object): ConnectionOptions {
  if (typeof queue !== 'string') return isClient(queue) ? queue : { retryStrategy, ...queue, ...extra };
  return { url: queue, retryStrategy, ...extra };
}

/** Host and port for messages, without user name and password. */
export function addressOf(queue: QueueConnection): string {
  if (typeof queue !== 'string') {
    const { host = '127.0.0.1', port = 6379 } = (isClient(queue) ? queue.options : queue) as {
      readonly host?: string;
      readonly port?: number;
    };
    return `${host}:${port}`;
  }
  const { hostname, port } = new URL(queue);
  return `${hostname}:${port === '' ? '6379' : port}`;
}

/** Throws unless the value is a Redis URL or connection options. */
export function checkQueue(caller: string, queue: unknown): void {
  if (typeof queue === 'object' && queue !== null) return;
  const fits = typeof queue === 'string' && /^rediss?:\/\/./.test(queue) && URL.canParse(queue);
  if (!fits) throw new RangeError(`${caller}: queue must be a URL such as redis://host:6379, or connection options`);
}

function isClient(queue: object): queue is { readonly options: object; readonly duplicate: () => unknown } {
  return 'duplicate' in queue && 'options' in queue;
}

/** Reconnect soon, because Redis may have been restarted. */
function retryStrategy(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 6), 1000);
}

/** How long a command may take while Redis is there. */
export const commandMs = 2000;

/** The promise, or an error after `ms`. Commands may never end while Redis is away. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** The queue of a flow: `trawler-` and the flow's name. `-` replaces characters that don't suit a Redis name. */
export function queueName(flow: { readonly name: string }): string {
  return `trawler-${flow.name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}`;
}
