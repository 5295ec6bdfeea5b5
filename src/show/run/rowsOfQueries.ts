import { queryDigest } from '../../flow/core/Dedup.ts';
import type { JournalRecord } from '../../flow/core/events.ts';
import type { FlowStage } from '../../flow/definition/Flow.ts';
import type { QueryParams } from '../../flow/definition/flowFormat.ts';
import type { JournalReader } from '../../flow/state/Journal.ts';
import type { RowRange } from '../data/TableView.ts';

/** Rows among all those that a run wrote of a stage. */
export interface TracedRows {
  readonly ranges: readonly RowRange[];
  /** All of them. */
  readonly total: number;
}

/**
 * Which rows of a stage came from some of its queries. undefined: the journal doesn't tell, because a query isn't in it, or
 * because an update carried rows over from the run before.
 */
export async function rowsOfQueries(
  journal: JournalReader,
  stage: FlowStage,
  queries: readonly QueryParams[],
): Promise<TracedRows | undefined> {
  const wanted = new Set(queries.map((params) => queryDigest(stage, params)));
  /** Of each query of the stage, by its number: whether it is wanted. */
  const known = new Map<number, boolean>();
  const ranges: [number, number][] = [];
  let [found, total, isUpdate] = [0, 0, false];
  const take = (record: JournalRecord): boolean => {
    if (record.type === 'flow') isUpdate = record.update === true;
    for (const event of record.type === 'commit' ? record.events : []) {
      if (event.type === 'QueriesFound') {
        for (const [index, params] of event.found) {
          if (index === stage.index) known.set(found, wanted.delete(queryDigest(stage, params)));
          found += 1;
        }
      } else if (event.type === 'PageTaken' && known.has(event.query)) {
        const from = total;
        total += event.written;
        if (known.get(event.query) === false || event.written === 0) continue;
        const last = ranges.at(-1);
        if (last?.[1] === from) last[1] = total;
        else ranges.push([from, total]);
      }
    }
    return !isUpdate;
  };
  await journal.read(take, () => undefined);
  return isUpdate || wanted.size > 0 || journal.damagedLine !== undefined ? undefined : { ranges, total };
}
