import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const barsPerOctave = 2;
const octaves = 18; // up to 262 s. Longer times count as 262 s
const limitMs = 2 ** octaves;

/** Response times in bars of constant ratio, with quantiles. Memory is fixed, whatever the number of responses. */
export class LatencyHistogram {
  readonly #times: RecordableHistogram = createHistogram({ highest: limitMs });
  readonly #bars: number[] = Array.from({ length: octaves * barsPerOctave }, () => 0);
  #maxMs = 0;

  add(ms: number): void {
    const whole = Math.min(limitMs, Math.max(1, Math.ceil(ms)));
    this.#times.record(whole);
    const bar = Math.floor(Math.log2(Math.max(1, ms)) * barsPerOctave);
    this.#bars[Math.min(bar, this.#bars.length - 1)]! += 1;
    this.#maxMs = Math.max(this.#maxMs, ms);
  }

  summary(): LatencySummary {
    const { count } = this.#times;
    const within = (percent: number): number => (count === 0 ? 0 : Math.min(this.#times.percentile(percent), this.#maxMs));
    const edge = (bar: number): number => 2 ** (bar / barsPerOctave);
    const bars = this.#bars.map((count, bar) => ({ fromMs: edge(bar), toMs: edge(bar + 1), count }));
    const filled = bars.slice(
      bars.findIndex((bar) => bar.count > 0),
      bars.findLastIndex((bar) => bar.count > 0) + 1,
    );
    return { count, p50: within(50), p90: within(90), p99: within(99), maxMs: this.#maxMs, bars: filled };
  }
}

export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly maxMs: number;
  /** From the first to the last that isn't empty. */
  readonly bars: readonly { readonly fromMs: number; readonly toMs: number; readonly count: number }[];
}
