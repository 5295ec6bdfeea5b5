import type { IRedisClient } from 'bullmq';
import { commandMs, within } from './QueueConnection.ts';

/** Results stored in Redis together. */
export interface Entry {
  /** Its position in the stream. */
  readonly at: string;
  /** Each result in parts, with its page, or with the job if it is for all of its pages. */
  readonly results: readonly (readonly [of: string, parts: readonly Buffer[]])[];
}

/** A client that reads bytes. BullMQ's own type doesn't say that ioredis can. */
interface ByteReader {
  xreadBuffer(...args: (string | number)[]): Promise<[key: Buffer, entries: [at: Buffer, fields: Buffer[]][]][] | null>;
}

const blockMs = 1000;
const batch = 100;

/** Reads the stream of results, from its beginning on. */
export class ResultReader {
  readonly #key: string;
  /** A connection of its own, because it waits for results. */
  #waiting: IRedisClient | undefined;
  #last = '0-0';

  constructor(key: string) {
    this.#key = key;
  }

  /** The position of the last result that was read. */
  get last(): string {
    return this.#last;
  }

  /** All results that are there. */
  async all(client: IRedisClient): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let more = await this.#read(client); more.length > 0; more = await this.#read(client)) entries.push(...more);
    return entries;
  }

  /** The next results. Waits up to a second for them. */
  next(client: IRedisClient): Promise<Entry[]> {
    if (this.#waiting === undefined) {
      this.#waiting = client.duplicate({ enableOfflineQueue: true, maxRetriesPerRequest: null, commandTimeout: blockMs + commandMs });
      this.#waiting.on('error', () => undefined);
    }
    return this.#read(this.#waiting, blockMs);
  }

  close(): void {
    this.#waiting?.disconnect();
  }

  async #read(client: IRedisClient, block?: number): Promise<Entry[]> {
    const blocking = block === undefined ? [] : ['BLOCK', block];
    const reader = client as unknown as ByteReader;
    const read = reader.xreadBuffer('COUNT', batch, ...blocking, 'STREAMS', this.#key, this.#last);
    const entries = ((await within(commandMs + (block ?? 0), read))?.[0]?.[1] ?? []).map(([at, fields]) => entryOf(String(at), fields));
    this.#last = entries.at(-1)?.at ?? this.#last;
    return entries;
  }
}

/** A field without a name is another part of the result before it. */
function entryOf(at: string, fields: readonly Buffer[]): Entry {
  const results: [string, Buffer[]][] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const name = fields[i]!.toString('latin1');
    if (name === '' && results.length > 0) results.at(-1)![1].push(fields[i + 1]!);
    else results.push([name, [fields[i + 1]!]]);
  }
  return { at, results };
}
