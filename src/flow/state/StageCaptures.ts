import type { MoreQueries } from '../../../operators/estimate/nextRows.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { PageStep } from './JournalRecord.ts';
import { digestCount, digestsOf } from './journalTexts.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { NewRowsCurve } from './NewRowsCurve.ts';
import { QueryCurves } from './QueryCurves.ts';
import { SampledCaptures } from './SampledCaptures.ts';

/** Counts how many queries found each row of a stage. */
export class StageCaptures {
  readonly curve: NewRowsCurve = new NewRowsCurve();
  readonly byQuery: QueryCurves = new QueryCurves();
  readonly #counts = new SampledCaptures();
  readonly #splits: boolean;
  /** Rows that came before aren't written again. */
  readonly #unique: boolean;
  /** Rows of queries that haven't ended, of a stage that splits queries. */
  readonly #open = new Map<number, OpenRows>();

  constructor({ split, by }: FlowStage) {
    this.#splits = split !== undefined;
    this.#unique = by.length > 0;
  }

  /** Takes a page. `over`: its query has ended. */
  take({ number: query, params }: Pick<StageQuery, 'number' | 'params'>, { keys, again, beside, wide }: PageStep, over: boolean): void {
    const found = [keys, again].flatMap((text) => (text === undefined ? [] : digestsOf(text)));
    const unknown = this.#splits ? 0 : this.#counts.take(found, query);
    const fresh = this.#unique ? digestCount(keys) : unknown;
    const rows = { fresh, again: found.length - fresh };
    this.curve.add(rows.fresh, rows.again);
    this.byQuery.add({ number: query, params }, rows, over);
    if (!this.#splits) return;
    const open = this.#open.get(query) ?? { rows: [], beside: [] };
    this.#open.set(query, open);
    const outside = beside === undefined ? [] : digestsOf(beside);
    open.rows.push(...(outside.length === 0 ? found : found.filter((row) => !outside.includes(row))));
    open.beside.push(...outside);
    if (over) this.end(query, wide === true);
  }

  /** How many rows there are at least. Wide and narrow queries look for the same things, so a few common rows tell. */
  bound(): ReturnType<SampledCaptures['bound']> {
    const found = this.#unique ? this.curve.parts.reduce((sum, { fresh }) => sum + fresh, 0) : undefined;
    return this.#counts.bound(found, this.#splits ? 0 : undefined);
  }

  /** How many new rows more queries would bring. Those of a split divide the rows, and there are no more of them. */
  next(more: MoreQueries): ReturnType<SampledCaptures['next']> | 'divided' {
    return this.#splits ? 'divided' : this.#counts.next(more);
  }

  /**
   * A query has ended. The narrower queries of a split divide the rows, so all of them count as one. The wider ones before them
   * count as a second one, with what a search of a tile found beside it.
   */
  end(query: number, wide: boolean = false): void {
    this.byQuery.end(query);
    const { rows = [], beside = [] } = this.#open.get(query) ?? {};
    this.#open.delete(query);
    for (const row of rows) this.#counts.add(row, wide ? wideQueries : narrowQueries);
    for (const row of beside) this.#counts.add(row, wideQueries);
  }
}

interface OpenRows {
  readonly rows: bigint[];
  readonly beside: bigint[];
}

const [narrowQueries, wideQueries] = [0, 1];
