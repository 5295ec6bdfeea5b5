import type { QueryParams } from '../definition/flowFormat.ts';
import type { StageQuery } from '../query/StageQuery.ts';

/** What the requests of one query brought. */
export interface QueryCurve {
  readonly params: QueryParams;
  readonly requests: number;
  readonly added: number;
  readonly again: number;
  readonly parts: readonly CurvePart[];
}

/** What queries brought, those that stand out one by one. */
export interface CurvesByQuery {
  /** Queries that had a page. */
  readonly queries: number;
  /** Those that brought rows, but no new one. */
  readonly idle: number;
  /** Those with the most new rows. */
  readonly most: readonly QueryCurve[];
  /** Those with the smallest share of new rows, of the others. */
  readonly least: readonly QueryCurve[];
}

/** So many queries are kept of each kind, and so many parts of a query's curve, so memory doesn't grow. */
const kept = 8;
const maxParts = 24;

/** Counts what each query of a stage brought, request by request. */
export class QueryCurves {
  readonly #open = new Map<number, { readonly params: QueryParams; readonly curve: NewRowsCurve }>();
  #ended: CurvesByQuery = { queries: 0, idle: 0, most: [], least: [] };

  /** Takes the rows of a request. `over`: its query has ended. */
  add({ number, params }: Pick<StageQuery, 'number' | 'params'>, { added, again }: Omit<CurvePart, 'requests'>, over: boolean): void {
    let query = this.#open.get(number);
    if (query === undefined) this.#open.set(number, (query = { params, curve: new NewRowsCurve(maxParts) }));
    query.curve.add(added, again);
    if (over) this.end(number);
  }

  /** A query has ended. */
  end(number: number): void {
    const query = this.#open.get(number);
    if (query === undefined) return;
    this.#open.delete(number);
    this.#ended = withCurve(this.#ended, query);
  }

  /** Those that haven't ended count as they are. */
  get sums(): CurvesByQuery {
    return Array.from(this.#open.values()).reduce(withCurve, this.#ended);
  }
}

function withCurve(
  { queries, idle, most, least }: CurvesByQuery,
  { params, curve }: { readonly params: QueryParams; readonly curve: NewRowsCurve },
): CurvesByQuery {
  const sum = (name: keyof CurvePart): number => curve.parts.reduce((total, part) => total + part[name], 0);
  const one: QueryCurve = { params, requests: sum('requests'), added: sum('added'), again: sum('again'), parts: curve.parts };
  const ranked = [...most, one].toSorted((a, b) => b.added - a.added);
  const shareOf = ({ added, again }: QueryCurve): number => added / (added + again);
  const others = [...least, ...ranked.slice(kept)].filter(({ added, again }) => added + again > 0);
  return {
    queries: queries + 1,
    idle: idle + (one.added === 0 && one.again > 0 ? 1 : 0),
    most: ranked.slice(0, kept),
    least: others.toSorted((a, b) => shareOf(a) - shareOf(b) || b.again - a.again).slice(0, kept),
  };
}

/** Requests that follow each other, with the rows that they brought. */
export interface CurvePart {
  readonly requests: number;
  /** New rows. */
  readonly added: number;
  /** Rows that came before. */
  readonly again: number;
}

/** How many rows of a stage were new, request by request. When it has too many parts, two become one, so memory doesn't grow. */
export class NewRowsCurve {
  #parts: CurvePart[] = [];
  /** Requests of a part. */
  #width = 1;
  readonly #limit: number;

  /** `limit` is even. */
  constructor(limit = 120) {
    this.#limit = limit;
  }

  /** In the order of requests. Each but the last has the same number of them. */
  get parts(): readonly CurvePart[] {
    return this.#parts;
  }

  /** Takes the rows of a request. */
  add(added: number, again: number): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.requests < this.#width) {
      this.#parts[this.#parts.length - 1] = sum(last, { requests: 1, added, again });
      return;
    }
    if (this.#parts.length === this.#limit) {
      this.#parts = this.#parts.flatMap((part, at) => (at % 2 === 0 ? [sum(part, this.#parts[at + 1]!)] : []));
      this.#width *= 2;
    }
    this.#parts.push({ requests: 1, added, again });
  }
}

function sum(one: CurvePart, other: CurvePart): CurvePart {
  return { requests: one.requests + other.requests, added: one.added + other.added, again: one.again + other.again };
}
