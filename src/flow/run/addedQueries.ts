import type { Flow } from '../definition/Flow.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { journalFound } from '../state/journalTexts.ts';
import type { JournalFound, PageStep, Unchanged } from '../state/JournalRecord.ts';

export type AddedQueries = Pick<PageStep, 'found' | 'unchanged'>;

/** New queries in the journal's form, and those that an update skips. */
export function addedQueries(flow: Flow, store: FlowStore, all: readonly FoundQuery[]): AddedQueries {
  const found: JournalFound[] = [];
  const unchanged: Unchanged[] = [];
  for (const one of store.state.onlyNew(all)) {
    const stage = flow.byName.get(one.stage)!;
    if (store.earlier?.skips(stage, one.params, one.unless) === true) unchanged.push([stage.index, one.params]);
    else found.push(journalFound(flow, one));
  }
  return { found: found.length === 0 ? undefined : found, unchanged: unchanged.length === 0 ? undefined : unchanged };
}

export function inJournal(flow: Flow, found: readonly FoundQuery[]): JournalFound[] {
  return found.map((one) => journalFound(flow, one));
}
