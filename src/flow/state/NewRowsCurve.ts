/** Requests that follow each other, with the rows that they brought. */
export interface CurvePart {
  readonly requests: number;
  /** New rows. */
  readonly fresh: number;
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
  add(fresh: number, again: number): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.requests < this.#width) {
      this.#parts[this.#parts.length - 1] = sum(last, { requests: 1, fresh, again });
      return;
    }
    if (this.#parts.length === this.#limit) {
      this.#parts = this.#parts.flatMap((part, at) => (at % 2 === 0 ? [sum(part, this.#parts[at + 1]!)] : []));
      this.#width *= 2;
    }
    this.#parts.push({ requests: 1, fresh, again });
  }
}

function sum(one: CurvePart, other: CurvePart): CurvePart {
  return { requests: one.requests + other.requests, fresh: one.fresh + other.fresh, again: one.again + other.again };
}
