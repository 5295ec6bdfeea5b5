/** Remembers the latest ids: at least `count` of them, and at most twice as many. */
export class RecentIds {
  readonly #count: number;
  #latest = new Set<string>();
  #before = new Set<string>();

  constructor(count: number) {
    this.#count = count;
  }

  add(id: string): void {
    this.#latest.add(id);
    if (this.#latest.size < this.#count) return;
    this.#before = this.#latest;
    this.#latest = new Set();
  }

  has(id: string): boolean {
    return this.#latest.has(id) || this.#before.has(id);
  }
}
