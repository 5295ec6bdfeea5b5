import type { FlowView } from '../core/FlowState.ts';
import type { OpenQuery } from '../core/Query.ts';

/** The walks of one operation. */
interface Group {
  /** The one that goes first. */
  readonly number: number;
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
      if (!isUnsure(query)) continue;
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
    for (const [name, { number, rest }] of this.#groups) {
      const first = queries.open.get(number);
      const isKnown = changingTokens.has(name);
      const isOver = first === undefined || first.is === 'postponed' || (first.is === 'walking' && first.counted);
      if (!isKnown && !isOver) continue;
      const left = rest.flatMap((one) => queries.open.get(one) ?? []).filter(isUnsure); // the others have started over
      const [next, ...later] = left;
      if (isKnown || next === undefined) this.#groups.delete(name);
      else this.#groups.set(name, { number: next.number, rest: later.map((one) => one.number) });
      ready.push(...(isKnown ? left : left.slice(0, 1)));
    }
    return ready;
  }
}

/** Another process began its walk, and what the next page shows isn't known. */
function isUnsure(query: OpenQuery): boolean {
  return query.is === 'rechecking' || ('unsure' in query && query.is !== 'postponed' && query.unsure === 'resumed');
}
