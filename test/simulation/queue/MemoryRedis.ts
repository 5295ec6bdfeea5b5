import type { Random } from '../Random.ts';
import type { Owner, Simulation } from '../Simulation.ts';

interface StoredJob {
  readonly id: string;
  /** As JSON, because a queue keeps no objects. */
  readonly data: string;
  attemptsStarted: number;
  state: 'waiting' | 'active' | 'completed' | 'failed';
  /** Who works on it, and until when that is believed. */
  token: string;
  lockedUntil: number;
}

/** What Redis and BullMQ's scripts know, in memory. Each call is one step for itself, as there. */
export class MemoryRedis {
  readonly jobs = new Map<string, StoredJob>();
  readonly workers = new Map<string, { readonly rawname: string; readonly owner: Owner | undefined }>();
  readonly simulation: Simulation;
  readonly #random: Random;
  readonly #texts = new Map<string, { readonly value: string; readonly until: number }>();
  /** Results. undefined: the stream isn't there, and takes none. */
  #stream: { readonly id: number; readonly fields: readonly Buffer[] }[] | undefined;
  #entries = 0;
  /** Nobody reaches it until then. */
  awayUntil = 0;
  /** When a call failed last, by who made it. */
  readonly failedAt = new Map<Owner | undefined, number>();

  constructor(simulation: Simulation, random: Random) {
    this.simulation = simulation;
    this.#random = random;
  }

  get now(): number {
    return this.simulation.now;
  }

  /** How much is left: jobs that aren't over, results and keys. */
  get left(): readonly string[] {
    const jobs = [...this.jobs.values()].map(({ id, state }) => `${state} job ${id}`);
    const texts = [...this.#texts].filter(([, { until }]) => until > this.now).map(([key]) => key);
    return [
      ...jobs,
      ...texts,
      ...(this.#stream ?? []).map(({ id }) => `result ${id}`),
      ...(this.#stream === undefined ? [] : ['the stream of results']),
    ];
  }

  /** A call from a process. What it does happens even if the process dies meanwhile. `patient`: it waits until Redis is back. */
  call<Result>(act: () => Result, patient: boolean): Promise<Result> {
    const { simulation } = this;
    const caller = simulation.owner;
    return new Promise((resolve, reject) => {
      const reach = (): void => {
        if (this.now < this.awayUntil) {
          if (patient) return this.#as(undefined, () => simulation.after(100, reach, false));
          this.failedAt.set(caller, this.now);
          return this.#as(caller, () => simulation.after(1, () => reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))));
        }
        const result = act();
        this.#as(caller, () => simulation.after(this.#random.next(), () => resolve(result)));
      };
      this.#as(undefined, () => simulation.after(this.#random.next(), reach, false));
    });
  }

  #as(owner: Owner | undefined, act: () => void): void {
    const before = this.simulation.owner;
    this.simulation.owner = owner;
    act();
    this.simulation.owner = before;
  }

  text(key: string): string | null {
    const known = this.#texts.get(key);
    return known === undefined || known.until <= this.now ? null : known.value;
  }

  setText(key: string, value: string, forMs = Infinity): void {
    this.#texts.set(key, { value, until: this.now + forMs });
  }

  remove(key: string): void {
    if (key.endsWith(':results')) this.#stream = undefined;
    this.#texts.delete(key);
  }

  makeStream(): void {
    this.#stream ??= [];
  }

  append(fields: readonly Buffer[]): void {
    this.#stream?.push({ id: ++this.#entries, fields });
  }

  dropEntries(ids: readonly string[]): void {
    this.#stream = this.#stream?.filter(({ id }) => !ids.includes(`${id}-0`));
  }

  entriesAfter(last: string, count = Infinity): readonly (readonly [Buffer, readonly Buffer[]])[] {
    return (this.#stream ?? [])
      .filter(({ id }) => id > Number(last.split('-')[0]))
      .slice(0, count)
      .map(({ id, fields }) => [Buffer.from(`${id}-0`), fields] as const);
  }

  /** A job whose id is known is not added again. */
  add(id: string, data: string): void {
    if (!this.jobs.has(id)) this.jobs.set(id, { id, data, attemptsStarted: 0, state: 'waiting', token: '', lockedUntil: 0 });
  }

  take(token: string, forMs: number): StoredJob | undefined {
    const next = [...this.jobs.values()].find(({ state }) => state === 'waiting');
    if (next === undefined) return undefined;
    next.attemptsStarted += 1;
    Object.assign(next, { state: 'active', token, lockedUntil: this.now + forMs });
    return { ...next };
  }

  /** Keeps the locks of a worker, where they aren't lost. */
  renew(token: string, forMs: number): void {
    for (const job of this.jobs.values()) if (job.state === 'active' && job.token === token) job.lockedUntil = this.now + forMs;
  }

  finish(id: string, token: string, state: 'completed' | 'failed'): void {
    const job = this.jobs.get(id);
    if (job?.state === 'active' && job.token === token) job.state = state;
  }

  /** Jobs whose worker is silent wait for another one. */
  unstall(): void {
    for (const job of this.jobs.values())
      if (job.state === 'active' && job.lockedUntil <= this.now) Object.assign(job, { state: 'waiting', token: '' });
  }

  removeJobs(states: readonly StoredJob['state'][]): void {
    for (const [id, { state }] of this.jobs) if (states.includes(state)) this.jobs.delete(id);
  }

  /** Those jobs of which no more results come: unknown ones, and those that are over once all results were read. */
  goneOf(ids: readonly string[], last: string): readonly string[] {
    const allRead = this.entriesAfter(last, 1).length === 0;
    const isOver = (state: StoredJob['state'] | undefined): boolean =>
      state === undefined || state === 'failed' || (allRead && state === 'completed');
    return ids.filter((id) => isOver(this.jobs.get(id)?.state));
  }
}
