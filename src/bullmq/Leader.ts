import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { countOf } from '../../operators/kit/countOf.ts';
import type { AnyClient } from '../client/Client.ts';
import { coreOf } from '../client/coreOf.ts';
import { createRemoteClient } from '../client/createServiceClient.ts';
import type { Pace, RateLimitReport, SentRequest } from '../client/rate/Pace.ts';
import type { Settings } from '../client/options/resolveOptions.ts';
import { FlowError } from '../errors/index.ts';
import type { FlowProgress } from '../flow/index.ts';
import { type Broker, pause } from './Broker.ts';
import { BrokerWatch } from './BrokerWatch.ts';
import { LeaderQueue } from './LeaderQueue.ts';
import { RemoteAttempts } from './RemoteAttempts.ts';

interface LeaderOptions {
  readonly name: string;
  readonly broker: Broker;
  readonly outDir: string;
  readonly settings: Settings;
  readonly waitMs: number;
  readonly tell: (message: string) => void;
  /** The run can't continue. */
  readonly fail: (error: Error) => void;
}

type FlowStart = Extract<FlowProgress, { type: 'start' }>;

const lookMs = 500;
const lonelyMs = 3000;
const idleMs = 20; // until this run leads, or the queue is back
const readMs = 4; // results that come together share their work
const takeOverMs = 4000; // a dead leader's lock is gone by then

/**
 * Leads the workers of a run. Its client is an ordinary one, with rate, retries, pauses and budget. Only its
 * requests are sent by whichever worker takes the job.
 */
export class Leader {
  readonly client: AnyClient;
  readonly #options: LeaderOptions;
  readonly #queue: LeaderQueue;
  readonly #attempts: RemoteAttempts;
  readonly #watch: BrokerWatch;
  readonly #workers: WorkersThere;
  readonly #since = performance.now();
  #slots = 0;
  /** `starting`: the queue isn't this run's yet. `away`: it is, but the database or the lead is missing. */
  #state: 'starting' | 'leading' | 'away' = 'starting';
  #closed = false;
  #finished = false;
  #lonelySince: number | undefined;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: LeaderOptions) {
    const { name, broker, outDir, settings, tell } = options;
    this.#options = options;
    this.#queue = new LeaderQueue(name, broker, `${hostname()}:${resolve(outDir)}`);
    this.#attempts = new RemoteAttempts(this.#queue, settings.clock);
    this.#watch = new BrokerWatch(options);
    this.#workers = new WorkersThere(tell);
    const led = (pace: Pace): Pace => new LedPace(pace, () => this.#hasRoom());
    const groupPaces = new Map(Array.from(settings.groupPaces, ([group, pace]) => [group, led(pace)]));
    this.client = createRemoteClient({ ...settings, pace: led(settings.pace), groupPaces, concurrency: 10_000 }, this.#attempts.make);
    this.#attempts.key = coreOf.get(this.client)!.trouble;
  }

  /** Starts, and follows the progress of the run. */
  heard(progress: FlowProgress): void {
    if (progress.type === 'start') this.#loops = Promise.all([this.#look(progress), this.#read()]);
    else if (progress.type === 'commit') this.#attempts.committed();
    else if (progress.type === 'summary') this.#finished = progress.outcome !== 'interrupted';
  }

  /** `well`: everything received is safe. */
  async close(well: boolean): Promise<void> {
    this.#closed = true;
    if (well && this.#state !== 'starting' && !this.#finished) await this.#attempts.settle();
    await this.client.close();
    await this.#queue.close(well && this.#finished);
    await this.#loops;
  }

  /** A few extra jobs may wait in the queue, so that no worker is idle. Only a few, since they can't be called back. */
  #hasRoom(): boolean {
    return this.#state === 'leading' && this.#attempts.size < Math.ceil(1.5 * this.#slots);
  }

  async #look(start: FlowStart): Promise<void> {
    while (!this.#closed) {
      try {
        const other = this.#state === 'starting' ? await this.#prepare(start) : await this.#keep();
        this.#watch.responded();
        if (other === undefined) this.#state = 'leading';
        else if (this.#state !== 'starting' || performance.now() - this.#since > takeOverMs) {
          this.#fail(`another run leads this queue: ${other}. Wait until it has ended, or give the flow another name`);
        }
      } catch (error) {
        if (this.#state === 'leading') this.#state = 'away';
        const hopeless = this.#watch.failed(error, this.#queue.why);
        if (hopeless !== undefined) this.#fail(hopeless);
      }
      await pause(this.#state === 'starting' ? lookMs / 5 : lookMs);
    }
  }

  /** Takes the queue. Returns the other run that leads it. */
  async #prepare({ began, resumed }: FlowStart): Promise<string | undefined> {
    const found = await this.#queue.prepare(String(began), resumed);
    if ('leader' in found) return found.leader;
    this.#attempts.resume(found);
    this.#state = 'away';
    return this.#keep();
  }

  async #keep(): Promise<string | undefined> {
    const kept = await this.#queue.keepLead(this.#attempts.open());
    if ('leader' in kept) return kept.leader;
    const slots = kept.workers.map(slotsOf);
    this.#slots = slots.reduce((sum, one) => sum + one, 0);
    this.#attempts.slots = slots;
    this.#workers.look(kept.workers, performance.now());
    this.#attempts.gone(kept.gone);
    this.#warnNoWorkers();
    return undefined;
  }

  #warnNoWorkers(): void {
    if (this.#slots > 0) this.#lonelySince = undefined;
    else if (this.#lonelySince === undefined) this.#lonelySince = performance.now();
    else if (performance.now() - this.#lonelySince > lonelyMs) {
      this.#lonelySince = Infinity; // once
      this.#options.tell('no worker is there; start one with trawler worker and the same flow and queue');
    }
  }

  async #read(): Promise<void> {
    while (!this.#closed) {
      try {
        if (this.#state === 'leading') this.#attempts.take(await this.#queue.next());
        await pause(this.#state === 'leading' ? readMs : idleMs);
      } catch {
        await pause(idleMs); // #look reports the reason
      }
    }
  }

  #fail(message: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.fail(new FlowError(message));
  }
}

const lookAgainMs = 50;

/** A pace that also waits until a worker can take a request. */
class LedPace implements Pace {
  readonly #pace: Pace;
  readonly #hasRoom: () => boolean;

  constructor(pace: Pace, hasRoom: () => boolean) {
    this.#pace = pace;
    this.#hasRoom = hasRoom;
  }

  get rate(): number | undefined {
    return this.#pace.rate;
  }

  get pausedUntil(): number {
    return this.#pace.pausedUntil ?? -Infinity;
  }

  /** A result frees a slot, and the admission checks at once. New workers are noticed a moment later. */
  waitMs(now: number, inFlight: number): number {
    const waitMs = this.#pace.waitMs(now, inFlight);
    return this.#hasRoom() ? waitMs : Math.max(waitMs, lookAgainMs);
  }

  started(now: number): void {
    this.#pace.started(now);
  }

  succeeded(now: number, sent: SentRequest): void {
    this.#pace.succeeded(now, sent);
  }

  throttled(now: number, sent: SentRequest, retryAfterMs: number | undefined): void {
    this.#pace.throttled(now, sent, retryAfterMs);
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    this.#pace.told?.(now, startedAt, report);
  }
}

const usualSlots = 8;
/** A worker whose connection is gone for less has connected again. */
const goneMs = 3000;

/** The workers of a queue as their leader sees them. It names those that come and go. */
export class WorkersThere {
  readonly #tell: (message: string) => void;
  /** When each was seen last. */
  readonly #seen = new Map<string, number>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** `names`: those that are connected now. A system without names says nothing of who comes and goes. */
  look(names: readonly (string | undefined)[], now: number): void {
    const there = new Set(names.flatMap((name) => (name === undefined ? [] : [shownName(name)])));
    const come = [...there].filter((name) => !this.#seen.has(name));
    for (const name of there) this.#seen.set(name, now);
    const gone = Array.from(this.#seen).flatMap(([name, at]) => (now - at > goneMs ? [name] : []));
    for (const name of gone) this.#seen.delete(name);
    const slots = names.reduce((sum, name) => sum + slotsOf(name), 0);
    const left = `${countOf(names.length, 'worker')} for ${slots} requests at once`;
    if (come.length > 0) this.#tell(`${workers(come)} here: ${come.join(', ')}. Now ${left}`);
    if (gone.length > 0) this.#tell(`${workers(gone)} gone: ${gone.join(', ')}. Now ${left}`);
  }
}

/** A worker's name holds its number of parallel jobs. If names can't be read, assume one worker with default settings. */
function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? usualSlots);
}

/** Host and process, as the worker says of itself. BullMQ puts its prefix and the queue before it. */
function shownName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).replace(/x\d+$/, '');
}

function workers({ length }: readonly string[]): string {
  return length === 1 ? 'a worker is' : `${length} workers are`;
}
