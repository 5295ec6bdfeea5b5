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
  /** Called if the run can't continue. */
  readonly fail: (error: Error) => void;
}

type FlowStart = Extract<FlowProgress, { type: 'start' }>;

const lookMs = 500;
const noWorkersMs = 3000; // after that, there is a warning
const idleMs = 20; // how often to check whether this run leads again
const readMs = 4; // pause between two reads, so that results that come together are handled together
const takeOverMs = 4000; // after that, the lead of a dead leader has expired

/**
 * Leads the workers of a run. Its client is an ordinary one, with rate, retries, pauses and budget, but its requests are sent by the
 * workers that take the jobs.
 */
export class Leader {
  readonly client: AnyClient;
  readonly #options: LeaderOptions;
  readonly #queue: LeaderQueue;
  readonly #attempts: RemoteAttempts;
  readonly #watch: BrokerWatch;
  readonly #workers: PresentWorkers;
  readonly #since = performance.now();
  #slots = 0;
  /** `starting`: the queue doesn't belong to this run yet. `away`: it does, but the database is away or this run doesn't lead yet. */
  #state: 'starting' | 'leading' | 'away' = 'starting';
  #closed = false;
  #finished = false;
  #noWorkersSince: number | undefined;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: LeaderOptions) {
    const { name, broker, outDir, settings, tell } = options;
    this.#options = options;
    this.#queue = new LeaderQueue(name, broker, `${hostname()}:${resolve(outDir)}`);
    this.#attempts = new RemoteAttempts(this.#queue, settings.clock);
    this.#watch = new BrokerWatch(options);
    this.#workers = new PresentWorkers(tell);
    const led = (pace: Pace): Pace => new LedPace(pace, () => this.#hasRoom());
    const groupPaces = new Map(Array.from(settings.groupPaces, ([group, pace]) => [group, led(pace)]));
    this.client = createRemoteClient({ ...settings, pace: led(settings.pace), groupPaces, concurrency: 10_000 }, this.#attempts.make);
    this.#attempts.key = coreOf.get(this.client)!.trouble;
  }

  /** Follows the progress of the run. Starts with its first event. */
  onProgress(progress: FlowProgress): void {
    if (progress.type === 'start') this.#loops = Promise.all([this.#look(progress), this.#read()]);
    else if (progress.type === 'commit') this.#attempts.committed();
    else if (progress.type === 'summary') this.#finished = progress.outcome !== 'interrupted';
  }

  /** `well`: the run ended without an error, so everything received is safe. */
  async close(well: boolean): Promise<void> {
    this.#closed = true;
    if (well && this.#state !== 'starting' && !this.#finished) await this.#attempts.settle();
    await this.client.close();
    await this.#queue.close(well && this.#finished);
    await this.#loops;
  }

  /** A few more jobs than workers can take may wait in the queue, so that no worker is idle. Only a few: they can't be taken back. */
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
          this.#fail(new FlowError(`another run leads this queue: ${other}. Wait until it has ended, or give the flow another name`));
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
    if (this.#slots > 0) this.#noWorkersSince = undefined;
    else if (this.#noWorkersSince === undefined) this.#noWorkersSince = performance.now();
    else if (performance.now() - this.#noWorkersSince > noWorkersMs) {
      this.#noWorkersSince = Infinity; // it warns once
      this.#options.tell('no worker is there; start one with trawler worker and the same flow and queue');
    }
  }

  async #read(): Promise<void> {
    while (!this.#closed) {
      try {
        if (this.#state === 'leading') this.#attempts.receive(await this.#queue.next());
        await pause(this.#state === 'leading' ? readMs : idleMs);
      } catch {
        await pause(idleMs); // #look reports why
      }
    }
  }

  #fail(error: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.fail(error);
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

  /** When a result frees a slot, the admission asks again at once. New workers are noticed after `lookAgainMs`. */
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

const defaultSlots = 8;
/** A worker that is away for less than this has only connected again. */
const goneMs = 3000;

/** The workers of a queue, as their leader sees them. Reports which come and go. */
export class PresentWorkers {
  readonly #tell: (message: string) => void;
  /** When each worker was seen last. */
  readonly #seen = new Map<string, number>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** `names`: those that are connected now. Workers without readable names aren't reported. */
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

/** How many requests a worker sends at once. Its name says that. If the name can't be read, this assumes the default. */
function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? defaultSlots);
}

/** Host and process of a worker, from its name. BullMQ puts its prefix and the queue before them. */
function shownName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).replace(/x\d+$/, '');
}

function workers({ length }: readonly string[]): string {
  return length === 1 ? 'a worker is' : `${length} workers are`;
}
