import { madeIn } from '../../../operators/kit/once.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { DigestSet } from './Dedup.ts';
import { digestsOf, type RowKeys } from './events.ts';
import { queryKey, type BegunQuery } from './Query.ts';

/** A query that is sent several times: how many answers came, and in how many of them each row was, by the digest of its key. */
export interface AnsweredQuery {
  readonly params: QueryParams;
  readonly answers: number;
  readonly rows: ReadonlyMap<bigint, number>;
}

interface Answer {
  readonly params: QueryParams;
  readonly rows: DigestSet;
  isWhole: boolean;
}

/** Which rows each answer of a stage had that sends its queries several times. */
export class AnswerShares {
  readonly #stage: FlowStage;
  /** By the number of the query. */
  readonly #answers = new Map<number, Answer>();

  constructor(stage: FlowStage) {
    this.#stage = stage;
  }

  /** A page of a query came. */
  take({ number, params }: BegunQuery, keys: RowKeys): void {
    const { rows } = this.#answer(number, params);
    for (const digests of [keys.new, keys.again]) if (digests !== undefined) for (const digest of digestsOf(digests)) rows.add(digest);
  }

  /** A query has ended. One that fails is no answer. */
  end({ number, params }: BegunQuery): void {
    this.#answer(number, params).isWhole = true;
  }

  get queries(): readonly AnsweredQuery[] {
    const all = new Map<string, { readonly params: QueryParams; answers: number; readonly rows: Map<bigint, number> }>();
    for (const { params, rows, isWhole } of this.#answers.values()) {
      if (!isWhole) continue;
      const key = queryKey(this.#stage, params);
      const one = madeIn(all, key, () => ({ params, answers: 0, rows: new Map() }));
      one.answers += 1;
      for (const digest of rows.digests()) one.rows.set(digest, (one.rows.get(digest) ?? 0) + 1);
    }
    return [...all.values()];
  }

  #answer(number: number, params: QueryParams): Answer {
    return madeIn(this.#answers, number, () => ({ params, rows: new DigestSet(), isWhole: false }));
  }
}
