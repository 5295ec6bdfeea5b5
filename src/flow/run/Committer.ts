import type { Committed, RunSpent, RunStorage } from '../state/RunStorage.ts';
import type { RunControl } from './RunControl.ts';

export interface CommitterOptions {
  /** The longest time from a step to its commit. */
  readonly everyMs: number;
  /** Returns what was spent since its last call. */
  readonly spent: () => RunSpent;
  readonly committed: (commit: Committed & { readonly ms: number }) => void;
}

/** So many steps are noted in any case. After them, notes take at most this share of the time. */
const firstNotes = 100;
const noteShare = 0.01;
const manySteps = 250;
const manyRows = 5000;
const tooManySteps = 1000;
const tooManyBytes = 2 * 1024 * 1024;

/**
 * Decides when to commit: soon after a step, or at once if many wait. One commit at a time. Between commits it notes steps, as long as that
 * costs little. A noted step survives if the process is killed, but perhaps not a power cut.
 */
export class Committer {
  readonly #store: RunStorage;
  readonly #options: CommitterOptions;
  readonly #run: Pick<RunControl, 'free' | 'fail'>;
  #notes = 0;
  /** From this time on, notes have taken no more than their share. */
  #paidAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #broken = false;
  #ended = false;

  constructor(store: RunStorage, options: CommitterOptions, run: Pick<RunControl, 'free' | 'fail'>) {
    this.#store = store;
    this.#options = options;
    this.#run = run;
  }

  /** No more requests may be sent: too much waits for the disk, or one of the first steps waits for the end of a commit to be noted. */
  get full(): boolean {
    const { files, pending } = this.#store;
    const waits = this.#running !== undefined && this.#notes < firstNotes && pending.count > 0;
    return waits || files.backlog > tooManyBytes || pending.count > tooManySteps;
  }

  get busy(): boolean {
    return this.#running !== undefined;
  }

  /** Steps were taken: notes them, or commits where that is due. */
  noteOrCommit(): void {
    if (this.#running !== undefined || this.#ended || this.#broken || this.#store.pending.count === 0) return;
    const { pending, noted } = this.#store;
    if (this.full || pending.count + noted.count >= manySteps || pending.rows + noted.rows >= manyRows) return this.#start();
    this.#timer ??= setTimeout(() => this.#start(), this.#options.everyMs);
    this.#note();
  }

  /** Nothing more may be committed, because the written files don't match the steps. */
  abandon(): void {
    this.#broken = true;
  }

  /** Commits the rest, unless the disk has failed. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (!this.#broken) await this.#commit();
  }

  #note(): void {
    const from = performance.now();
    if (from < this.#paidAt) return;
    this.#notes += 1;
    try {
      this.#store.note(this.#options.spent);
    } catch {
      this.#start(); // it fails for the same reason
    }
    if (this.#notes > firstNotes) this.#paidAt = from + (performance.now() - from) / noteShare;
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#commit()
      .catch((error: unknown) => {
        this.#broken = true;
        this.#run.fail(error);
      })
      .finally(() => {
        this.#running = undefined;
        this.noteOrCommit();
        this.#run.free();
      });
  }

  async #commit(): Promise<void> {
    const isEmpty = this.#store.pending.count + this.#store.noted.count === 0;
    if (isEmpty && !this.#ended) return;
    const from = performance.now();
    const spent = this.#options.spent();
    if (isEmpty && spent.requests === 0) return; // cancelled requests are recorded too, because a quote counts them
    const committed = await this.#store.commit(spent);
    this.#options.committed({ ...committed, ms: performance.now() - from });
  }
}
