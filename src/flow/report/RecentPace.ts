const windowMs = 5000;

/** How fast requests are sent, over the last few seconds. */
export class RecentPace {
  readonly #recent: { readonly at: number; readonly requests: number }[] = [];

  /** Takes how many requests were sent until a moment. */
  take(at: number, requests: number): void {
    this.#recent.push({ at, requests });
    while (this.#recent.length > 2 && this.#recent[1]!.at < at - windowMs) this.#recent.shift();
  }

  get perSecond(): number {
    const [first, last] = [this.#recent[0], this.#recent.at(-1)];
    return first === undefined || last === undefined || last.at <= first.at
      ? 0
      : ((last.requests - first.requests) * 1000) / (last.at - first.at);
  }
}
