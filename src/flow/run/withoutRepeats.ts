import type { StageQuery } from '../query/StageQuery.ts';
import type { Step } from '../query/stepQuery.ts';
import { idsOf } from '../state/JournalRecord.ts';

/**
 * The step without rows that the page before had: where rows are added while a walk goes on, its pages move and overlap, and
 * a page can repeat one that was cut.
 */
export function withoutRepeats({ ids: last, rewalk }: StageQuery, step: Step): Step {
  if (last === undefined || rewalk !== undefined) return step;
  const before = idsOf(last);
  const isNew = (id: number | undefined): boolean => id === undefined || !before.includes(id);
  const ids = step.ids.filter(isNew);
  const repeats = step.ids.length - ids.length;
  if (repeats === 0) return step;
  const { move, next } = step;
  return {
    ...step,
    rows: step.rows.filter(({ id }) => isNew(id)),
    ids,
    received: step.received - repeats,
    got: step.got - repeats,
    move: move && { ...move, items: move.items - repeats, received: move.received ?? move.items },
    next: next && { ...next, items: next.items - repeats },
  };
}
