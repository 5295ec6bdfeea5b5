/** An entry of the queue whose results aren't all used yet. */
export interface HeldEntry {
  readonly at: string;
  /** Results that are still to come. */
  left: number;
  /** One of its results was passed on. */
  useful: boolean;
}

/** Entries stay in the queue until their rows are safe on the disk. Those that nobody needs are deleted at once. */
export class HeldEntries {
  readonly #drop: (at: readonly string[]) => Promise<void>;
  /** Passed on before the commit that is under way, and since it began. */
  #older: string[] = [];
  #newer: string[] = [];

  constructor(drop: (at: readonly string[]) => Promise<void>) {
    this.#drop = (at) => drop(at).catch(() => undefined);
  }

  /** A result of the entry was used, or thrown away. */
  used(entry: HeldEntry, useful: boolean): void {
    entry.left -= 1;
    entry.useful ||= useful;
    if (entry.left > 0) return;
    if (entry.useful) this.#newer.push(entry.at);
    else void this.#drop([entry.at]);
  }

  /** A commit is done. Everything passed on before it began is safe. */
  committed(): void {
    void this.#drop(this.#older);
    this.#older = this.#newer;
    this.#newer = [];
  }

  /** The run has ended well, so all is safe. */
  async settle(): Promise<void> {
    const safe = [...this.#older, ...this.#newer];
    this.#older = [];
    this.#newer = [];
    await this.#drop(safe);
  }
}
