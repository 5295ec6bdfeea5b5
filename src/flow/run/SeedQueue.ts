import type { Flow, FlowStage } from '../definition/Flow.ts';
import { SeedReader, type SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowState } from '../state/FlowState.ts';

const batch = 64;

/** The seeds of all root stages, one stage after the other, read a few at a time. */
export class SeedQueue {
  readonly #readers: SeedReader[];
  readonly #stdin: NodeJS.ReadableStream | undefined;
  #busy = false;

  constructor(flow: Flow, { seeds }: FlowState, stdin: NodeJS.ReadableStream | undefined) {
    const unread = flow.stages.filter(({ name }) => seeds.get(name)?.ended === false);
    this.#readers = unread.map((stage) => new SeedReader(stage, seeds.get(stage.name)!, stdin));
    this.#stdin = unread.some((stage) => stage.seeds === '-') ? (stdin ?? process.stdin) : undefined;
  }

  /** Some seeds may not be read yet. */
  get left(): boolean {
    return this.#readers.length > 0;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Reads more seeds, unless it is reading already. `take` gets the seeds, `failed` gets the error. */
  pull(take: (stage: FlowStage, batch: SeedBatch) => void, failed: (error: unknown) => void): void {
    const [reader] = this.#readers;
    if (reader === undefined || this.#busy) return;
    this.#busy = true;
    reader.next(batch).then(
      (read) => {
        this.#busy = false;
        if (read.ended) this.#readers.shift();
        take(reader.stage, read);
      },
      (error: unknown) => {
        this.#busy = false;
        failed(error);
      },
    );
  }

  /** Closes the files. It doesn't wait for standard input, which may stay silent, and that keeps no process alive. */
  close(): void {
    for (const reader of this.#readers) void reader.close();
    if (this.#busy && this.#stdin !== undefined && 'unref' in this.#stdin && typeof this.#stdin.unref === 'function') this.#stdin.unref();
  }
}
