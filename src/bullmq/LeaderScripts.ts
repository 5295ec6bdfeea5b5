import type { IRedisClient } from 'bullmq';
import { commandMs, within } from './QueueConnection.ts';

/** Where the queue of a flow keeps things in Redis. All keys share its hash slot. */
export interface LeaderKeys {
  readonly lock: string;
  readonly run: string;
  readonly results: string;
  /** What the key of a job begins with. */
  readonly job: string;
}

const lockMs = 3000;

/**
 * KEYS: the leader's lock, the results. ARGV: identity, lock in milliseconds, prefix of job keys, the last result that was
 * read, then job ids. Makes the stream of results: without it, workers add none. Returns the other run that leads, or '' and then the
 * ids of jobs that will bring no more results.
 */
const trawlerLead = `
  local holder = redis.call('GET', KEYS[1])
  if holder and holder ~= ARGV[1] then return {holder} end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('XDEL', KEYS[2], redis.call('XADD', KEYS[2], '*', '', '')) end
  local gone = {''}
  local allRead = #redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+', 'COUNT', 1) == 0
  local over = allRead and 'finishedOn' or 'failedReason'
  for i = 5, #ARGV do
    local job = ARGV[3] .. ARGV[i]
    if redis.call('EXISTS', job) == 0 or redis.call('HEXISTS', job, over) == 1 then gone[#gone + 1] = ARGV[i] end
  end
  return gone`;

/** KEYS: the run's identity. ARGV: identity. Returns whether it was this run's already. */
const trawlerTake = `
  local known = redis.call('GET', KEYS[1]) == ARGV[1]
  redis.call('SET', KEYS[1], ARGV[1])
  return known and 1 or 0`;

/** KEYS: the results. ARGV: ids of entries. */
const trawlerDrop = `return redis.call('XDEL', KEYS[1], unpack(ARGV))`;

/** KEYS: the leader's lock. ARGV: identity. */
const trawlerLeave = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`;

/** The steps of a leader that Redis must do as one, and that BullMQ lacks. */
export class LeaderScripts {
  readonly client: IRedisClient;
  readonly #keys: LeaderKeys;
  readonly #identity: string;

  constructor(client: IRedisClient, keys: LeaderKeys, identity: string) {
    this.client = client;
    this.#keys = keys;
    this.#identity = identity;
    client.defineCommand('trawlerLead', { numberOfKeys: 2, lua: trawlerLead });
    client.defineCommand('trawlerTake', { numberOfKeys: 1, lua: trawlerTake });
    client.defineCommand('trawlerDrop', { numberOfKeys: 1, lua: trawlerDrop });
    client.defineCommand('trawlerLeave', { numberOfKeys: 1, lua: trawlerLeave });
  }

  /** Takes or keeps the lead. Returns the other run that leads, or the jobs that will bring no more results. */
  async lead(
    jobs: readonly string[],
    lastRead: string,
  ): Promise<{ readonly leader: string } | { readonly leader: undefined; readonly gone: readonly string[] }> {
    const { lock, results, job } = this.#keys;
    const [leader, ...gone] = await this.#run<[string, ...string[]]>(
      'trawlerLead',
      lock,
      results,
      this.#identity,
      lockMs,
      job,
      lastRead,
      ...jobs,
    );
    return leader === '' ? { leader: undefined, gone } : { leader };
  }

  /** Takes the queue for this run. Returns whether it was this run's already. */
  async take(): Promise<boolean> {
    return (await this.#run<number>('trawlerTake', this.#keys.run, this.#identity)) === 1;
  }

  /** Deletes results. */
  async drop(at: readonly string[]): Promise<void> {
    for (let from = 0; from < at.length; from += 1000) await this.#run('trawlerDrop', this.#keys.results, ...at.slice(from, from + 1000));
  }

  /** Gives up the lead. */
  async leave(): Promise<void> {
    await this.#run('trawlerLeave', this.#keys.lock, this.#identity);
  }

  async #run<T>(script: string, ...args: (string | number)[]): Promise<T> {
    return (await within(commandMs, this.client.runCommand(script, args))) as T;
  }
}
