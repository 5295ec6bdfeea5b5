/** Timers that can all be cancelled at once. Only an `alive` one keeps the process alive by itself. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  readonly after = (ms: number, run: () => void, alive?: 'alive'): void => {
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      run();
    }, ms);
    if (alive === undefined) timer.unref();
    this.pending.add(timer);
  };

  clear(): void {
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}
