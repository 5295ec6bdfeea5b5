import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { digestOf } from '../query/digestOf.ts';
import { timeOf, valuesAt } from '../../contract/valuesAt.ts';

/**
 * How far back an update has walked the queries of its stages with `since`. A row that lies in that range and wasn't
 * found is gone. A row belongs to the queries whose parameters its kept columns repeat; without such columns, to any query.
 */
export class WalkReach {
  readonly #times = new Map<bigint, number>();

  /** A query was walked back to `time`. -Infinity: to its end. Infinity: nothing is known of its rows. */
  note(stage: FlowStage, params: QueryParams, time: number): void {
    const key = keyOf(
      stage,
      stage.owners.map(({ param }) => params[param]),
    );
    this.#times.set(key, Math.max(this.#times.get(key) ?? -Infinity, time));
  }

  /**
   * Whether a row that wasn't found is gone, because its range was walked. `all`: every query was walked, so a row that
   * belongs to none of them is gone too.
   */
  covers(stage: FlowStage, row: object, all: boolean): boolean {
    const key = keyOf(
      stage,
      stage.owners.map(({ column }) => valuesAt(row, column)[0]),
    );
    const time = this.#times.get(key);
    if (stage.owners.length === 0) return all && time !== undefined && lies(stage, row, time);
    return time === undefined ? all : lies(stage, row, time);
  }
}

function lies({ since }: FlowStage, row: object, after: number): boolean {
  return after === -Infinity || timeOf(row, since!.field) > after;
}

function keyOf({ name }: FlowStage, values: readonly unknown[]): bigint {
  return digestOf(JSON.stringify([name, ...values.map(String)]));
}
