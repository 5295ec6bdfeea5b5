import type { PageLike } from '../../../operators/PageLike.ts';
import { setDoubtful } from '../../../operators/walk/Doubt.ts';
import { markOf } from '../../../operators/walk/markOf.ts';
import { pagingKindOf } from '../../contract/index.ts';
import { AuthError, TrawlerError } from '../../errors/index.ts';
import { walkOptionsOf } from '../query/stepQuery.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { failureOf } from '../state/failureOf.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { StageQueries } from '../state/StageQueries.ts';

/** The walks of one operation. */
interface Group {
  /** The one that goes first. */
  number: number;
  /** Those that wait for what it shows. */
  readonly rest: number[];
}

/**
 * Walks of one page that another process began, or whose pages came from a store. A service that counts the pages of a token itself may have counted one that never
 * arrived. The next page shows whether it counts: its token is the same, or another one. If it has none, it is requested once more, and
 * a service that doesn't count sends it again. If the service counts, or the page shows nothing because it is empty or refused, the walk
 * starts over. One walk of each operation goes first, and what it shows holds for the others.
 */
export class TakenUpWalks {
  readonly #store: FlowStore;
  readonly #queries: StageQueries;
  readonly #numbers: Set<number>;
  readonly #groups = new Map<string, Group>();
  /** Walks whose last page is requested once more, and what identifies it. */
  readonly #repeated = new Map<number, number>();
  /** Walks whose page came from a store just now. */
  readonly #stored = new Set<number>();
  #same: PageLike | undefined;
  /** Those that wait at first for what another one shows. */
  readonly held: ReadonlySet<number>;

  constructor(store: FlowStore) {
    this.#store = store;
    this.#queries = store.state.queries;
    this.#numbers = new Set(store.takenUp);
    for (const number of this.#numbers) {
      const query = this.#queries.waiting.get(number);
      if (query === undefined || this.#queries.late.has(number) || !this.#mayCount(query)) continue;
      const { name } = this.#queries.stageOf(query).operation;
      const group = this.#groups.get(name);
      if (group === undefined) this.#groups.set(name, { number, rest: [] });
      else group.rest.push(number);
    }
    this.held = new Set(Array.from(this.#groups.values()).flatMap(({ rest }) => rest));
  }

  /** The queries that needn't wait any more. */
  ready(): readonly StageQuery[] {
    const ready: StageQuery[] = [];
    for (const [name, group] of this.#groups) {
      if (this.#store.state.changingTokens.has(name)) {
        this.#groups.delete(name);
        ready.push(...this.#waiting(group.rest));
        continue;
      }
      const first = this.#queries.waiting.get(group.number);
      if (first !== undefined && !this.#queries.late.has(group.number) && !this.#queries.isOver(first)) continue;
      const [next] = this.#waiting(group.rest.splice(0, 1));
      if (next !== undefined) ready.push(next);
      if (next === undefined && group.rest.length === 0) this.#groups.delete(name);
      else group.number = next?.number ?? group.number;
    }
    return ready;
  }

  /** The next page of this walk comes from a store. */
  stored(number: number): void {
    this.#stored.add(number);
  }

  /** A page was taken, with rows of these ids. */
  taken(query: StageQuery, ids: Iterable<number>): void {
    const { number, walk } = query;
    if (!this.#stored.delete(number) || !this.#queries.waiting.has(number)) return;
    const isKnown = this.#store.state.changingTokens.has(this.#queries.stageOf(query).operation.name);
    if (walk.pages === 0 && query.counted === undefined && !isKnown && this.#mayCount(query)) this.#numbers.add(number);
    if (this.#numbers.has(number)) for (const id of ids) this.#store.state.seen.isNewId(number, id);
  }

  /** The queries to request instead, if a page can't be taken yet. */
  page(query: StageQuery, page: PageLike): readonly StageQuery[] | undefined {
    if (this.#numbers.size + this.#repeated.size === 0) return undefined;
    const stage = this.#queries.stageOf(query);
    const { name, spec } = stage.operation;
    const { changingTokens } = this.#store.state;
    const options = walkOptionsOf(stage, query);
    const before = this.#repeated.get(query.number);
    if (before !== undefined) {
      this.#repeated.delete(query.number);
      if (markOf(spec, page, options) !== before) return this.#allStartOver(query, page);
      changingTokens.add(name);
      this.#same = page;
      return undefined;
    }
    if (this.#stored.has(query.number)) return undefined; // the service may have counted on since
    if (!this.#numbers.delete(query.number) || changingTokens.has(name)) return undefined;
    const kind = pagingKindOf(spec.paging);
    const next = kind.onward(spec.paging, { operation: spec, state: query.walk, page, options, notices: [] });
    if ('cursor' in next)
      return kind.isCounted(spec.paging, kind.move(spec.paging, query.walk.query, next.cursor, options))
        ? this.#allStartOver(query, page)
        : undefined;
    if (!this.#mayCount(query)) return undefined;
    const mark = markOf(spec, page, options);
    setDoubtful(page);
    if (mark === undefined) return this.#startOver([query.number]); // after the last page, all are empty
    this.#repeated.set(query.number, mark);
    return [query];
  }

  /** Whether a page was requested twice, and came the same. */
  confirms(page: PageLike): boolean {
    return this.#same === page;
  }

  /** The queries to request instead of one that failed for good. */
  failed(query: StageQuery, error: unknown): readonly StageQuery[] | undefined {
    const isRefused = error instanceof TrawlerError && !(error instanceof AuthError) && failureOf(error).kind === 'final';
    if (!isRefused || !this.#mayCount(query)) return undefined;
    if (this.#repeated.delete(query.number)) return this.#allStartOver(query);
    return this.#numbers.delete(query.number) ? this.#startOver([query.number]) : undefined;
  }

  #mayCount(query: StageQuery): boolean {
    const { paging } = this.#queries.stageOf(query).operation.spec;
    return pagingKindOf(paging).mayCount(paging);
  }

  /** The service counts, so the other walks of the operation start over, too. `page`: may be behind one that never arrived. */
  #allStartOver(query: StageQuery, page?: PageLike): readonly StageQuery[] {
    if (page !== undefined) setDoubtful(page);
    const { name } = this.#queries.stageOf(query).operation;
    const others = this.#groups.get(name)?.rest ?? [];
    this.#groups.delete(name);
    for (const number of others) this.#numbers.delete(number);
    return this.#startOver([query.number, ...others]);
  }

  #startOver(numbers: readonly number[]): readonly StageQuery[] {
    return numbers
      .filter((number) => this.#queries.waiting.has(number))
      .flatMap((number) => this.#store.take({ kind: 'again', query: number }));
  }

  #waiting(numbers: readonly number[]): readonly StageQuery[] {
    return numbers.flatMap((number) => this.#queries.waiting.get(number) ?? []);
  }
}
