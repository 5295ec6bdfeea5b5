/** Timers that can all be cancelled at once. They keep no process alive. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  readonly after = (ms: number, run: () => void): void => {
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      run();
    }, ms);
    this.pending.add(timer.unref());
  };

  clear(): void {
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}
