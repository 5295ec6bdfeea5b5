import { countOf } from '../../../operators/kit/countOf.ts';
import { clockText } from '../../../operators/kit/days.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { OpenQuery } from '../core/Query.ts';
import { nthOf } from '../split/StageSplit.ts';

/** Queries whose time hasn't come. A process doesn't wait for it: a later run sends them. */
export class DueQueries {
  readonly #flow: Flow;
  readonly #startedAt: number;
  readonly #isNeeded: boolean;
  #later: { readonly query: OpenQuery; readonly at: number }[] = [];

  /** `startedAt`: when the run began, by its journal. */
  constructor(flow: Flow, startedAt: number) {
    this.#flow = flow;
    this.#startedAt = startedAt;
    this.#isNeeded = flow.stages.some(({ repeat }) => repeat !== undefined);
  }

  /** Keeps those of the queries that are due later, and returns the others. */
  keep(queries: readonly OpenQuery[]): readonly OpenQuery[] {
    if (!this.#isNeeded) return queries;
    const now = Date.now();
    return queries.filter((query) => {
      const afterMs = dueMs(this.#flow.byName.get(query.stage)!, query);
      if (afterMs === 0) return true; // also where the clock was set back since the run began
      const at = this.#startedAt + afterMs;
      if (at > now) this.#later.push({ query, at });
      return at <= now;
    });
  }

  /** Those whose time has come meanwhile. */
  take(): readonly OpenQuery[] {
    if (this.#later.length === 0 || this.#next > Date.now()) return [];
    return this.keep(this.#later.splice(0).map(({ query }) => query));
  }

  /** What is due next, in words. undefined: nothing waits for its time. */
  get because(): string | undefined {
    const { length } = this.#later;
    if (length === 0) return undefined;
    const when = clockText(Math.ceil(this.#next / minuteMs) * minuteMs, 16);
    return `${countOf(length, 'repeated query is', 'repeated queries are')} due later, the next at ${when} UTC`;
  }

  get #next(): number {
    return this.#later.reduce((least, { at }) => Math.min(least, at), Infinity);
  }
}

const minuteMs = 60_000;

/** How long after the start of its run a query is due. */
function dueMs({ repeat }: FlowStage, query: OpenQuery): number {
  return (repeat?.everyMs ?? 0) * (nthOf(query) ?? 0);
}
