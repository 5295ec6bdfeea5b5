import type { FlowView } from '../core/FlowState.ts';
import type { OpenQuery } from '../core/Query.ts';

/** The walks of one operation. */
interface Group {
  /** The one that goes first. */
  number: number;
  /** Those that wait for what it shows. */
  readonly rest: number[];
}

/**
 * Walks of one page that another process began: the service may count their pages, as `decideRecheck` explains. One walk of each operation
 * goes first, and those that wait for it are held here.
 */
export class ResumedWalks {
  readonly #state: FlowView;
  readonly #groups = new Map<string, Group>();
  /** Those that wait at first. */
  readonly held: ReadonlySet<number>;

  constructor(state: FlowView) {
    this.#state = state;
    for (const query of state.queries.open.values()) {
      if (query.is === 'waiting' || query.is === 'postponed' || !(query.is === 'rechecking' || query.unsure === 'resumed')) continue;
      const { name } = state.queries.stageOf(query).operation;
      const group = this.#groups.get(name);
      if (group === undefined) this.#groups.set(name, { number: query.number, rest: [] });
      else group.rest.push(query.number);
    }
    this.held = new Set(Array.from(this.#groups.values()).flatMap(({ rest }) => rest));
  }

  /** The queries that needn't wait any more. */
  ready(): readonly OpenQuery[] {
    const { queries, changingTokens } = this.#state;
    const ready: OpenQuery[] = [];
    for (const [name, group] of this.#groups) {
      const first = queries.open.get(group.number);
      if (first?.is === 'walking' && first.counted) this.#groups.delete(name); // all of them have started over
      else if (changingTokens.has(name)) {
        this.#groups.delete(name);
        ready.push(...this.#open(group.rest));
      } else if (first === undefined || first.is === 'postponed' || queries.isOver(first)) {
        const [next] = this.#open(group.rest.splice(0, 1));
        if (next !== undefined) ready.push(next);
        if (next === undefined && group.rest.length === 0) this.#groups.delete(name);
        else group.number = next?.number ?? group.number;
      }
    }
    return ready;
  }

  #open(numbers: readonly number[]): readonly OpenQuery[] {
    return numbers.flatMap((number) => this.#state.queries.open.get(number) ?? []);
  }
}
