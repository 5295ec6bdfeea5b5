const perOctave = 8; // so a quantile is accurate to 4.5 %
const size = 18 * perOctave; // from 1 ms to 262 s

/** Response times in buckets of constant ratio. Memory is fixed, whatever the number of responses. */
export class LatencyHistogram {
  readonly #counts: number[] = Array.from({ length: size }, () => 0);
  #count = 0;
  #maxMs = 0;

  add(ms: number): void {
    const index = Math.floor(Math.log2(Math.max(1, ms)) * perOctave);
    this.#counts[Math.min(index, size - 1)]! += 1;
    this.#count += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  summary(): LatencySummary {
    return {
      count: this.#count,
      p50: this.#quantile(0.5),
      p90: this.#quantile(0.9),
      p99: this.#quantile(0.99),
      maxMs: this.#maxMs,
      bars: this.#bars(),
    };
  }

  /** The upper edge of the bucket in which the share `q` is reached. */
  #quantile(q: number): number {
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      if (seen > 0 && seen >= q * this.#count) return Math.min(2 ** ((index + 1) / perOctave), this.#maxMs);
    }
    return 0;
  }

  /** Bars of half an octave each, from the first to the last that isn't empty. */
  #bars(): LatencyBar[] {
    const width = perOctave / 2;
    const bars: LatencyBar[] = [];
    for (let from = 0; from < size; from += width) {
      const count = this.#counts.slice(from, from + width).reduce((sum, one) => sum + one, 0);
      bars.push({ fromMs: 2 ** (from / perOctave), toMs: 2 ** ((from + width) / perOctave), count });
    }
    const first = bars.findIndex((bar) => bar.count > 0);
    const last = bars.findLastIndex((bar) => bar.count > 0);
    return first < 0 ? [] : bars.slice(first, last + 1);
  }
}

export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly maxMs: number;
  readonly bars: readonly LatencyBar[];
}

interface LatencyBar {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}
