import { commandMs, within, type Broker, type Entry, type Lead, type LeaderSide } from './Broker.ts';
import { jobId, type PageData, queueFormat } from './JobData.ts';

/** What an earlier leader left: results, and the job of each page that a worker is requesting. */
export interface QueueRemains {
  readonly entries: readonly Entry[];
  readonly running: ReadonlyMap<string, string>;
}

/** The leader's side of a queue: jobs out, results in. Every call ends within seconds, with an error if the database is away. */
export class LeaderQueue {
  readonly #side: LeaderSide;
  #why = 'no connection';
  #leads = false;
  #closed = false;

  /** `leader`: a leader that is started again has the same name, so it needn't wait until the lead has expired. */
  constructor(name: string, broker: Broker, leader: string) {
    this.#side = broker.lead(name, `${queueFormat} ${leader}`);
    this.#side.queue.on('error', (error) => {
      this.#why = (error as NodeJS.ErrnoException).code ?? error.message;
    });
  }

  /** The last error of the connection. */
  get why(): string {
    return this.#why;
  }

  /**
   * Takes the lead, and the queue for this run. A resumed run gets what its earlier leader left. Everything else is thrown away.
   * Returns what was left, or `leader` if another run leads.
   */
  async prepare(run: string, resumed: boolean): Promise<QueueRemains | { readonly leader: string }> {
    const { queue } = this.#side;
    const lead = await this.keepLead([]);
    if ('leader' in lead) return lead;
    const isOurs = await this.#side.take(run);
    if (resumed && isOurs) {
      // Running jobs and results stay. Waiting jobs are added again when their turn comes.
      await within(commandMs, queue.drain());
      await within(commandMs, queue.clean(0, 0, 'completed'));
      await within(commandMs, queue.clean(0, 0, 'failed'));
    } else {
      await this.#side.dropAll();
      await within(5 * commandMs, queue.obliterate({ force: true }));
    }
    const running = await this.#side.active();
    const entries = await this.#side.all();
    return { entries, running: new Map(running.flatMap(({ id, data }) => data.pages.map((page) => [page.id, id!] as const))) };
  }

  /** Renews the lead. Returns the names of the workers, and which of `jobs` will bring no more results. */
  async keepLead(jobs: readonly string[]): Promise<Lead | { readonly leader: string }> {
    if (this.#closed) return { workers: [], gone: [] };
    const lead = await this.#side.lead(jobs);
    this.#leads = !('leader' in lead);
    return 'leader' in lead ? { leader: lead.leader.replace(/^\d+ /, '') } : lead;
  }

  /** Adds a job for each list of pages. If that fails, `keepLead` reports the job as gone. */
  add(jobs: readonly (readonly PageData[])[]): void {
    if (this.#closed) return;
    const added = jobs.map((pages) => ({ name: pages[0]!.stage, data: { format: queueFormat, pages }, opts: { jobId: jobId(pages) } }));
    this.#side.add(added).catch(() => undefined);
  }

  /** The next results. Waits up to a second for them. */
  next(): Promise<readonly Entry[]> {
    return this.#side.next();
  }

  /** Deletes results that are safe elsewhere or useless. */
  async drop(at: readonly string[]): Promise<void> {
    if (at.length > 0) await this.#side.drop(at);
  }

  /** Removes waiting jobs and gives up the lead. `finished`: leaves nothing in the queue. */
  async close(finished: boolean): Promise<void> {
    this.#closed = true;
    const { queue } = this.#side;
    try {
      if (this.#leads) {
        await within(commandMs, queue.drain());
        if (finished) await within(5 * commandMs, queue.obliterate({ force: true }));
        await this.#side.leave(finished);
      }
    } catch {
      // If the database is away, the lead expires by itself, and the next leader cleans up.
    }
    this.#side.close();
    await within(commandMs, queue.close()).catch(() => queue.disconnect());
  }
}
