import type { PageLike } from '../../../operators/PageLike.ts';
import { silentDoubts } from '../../../operators/walk/Doubt.ts';
import { SecondLooks } from '../../../operators/walk/SecondLooks.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { shortEndOf } from '../state/FlowState.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { textOfDigests, textOfIds, textOfSpots } from '../state/journalTexts.ts';
import type { PageStep } from '../state/JournalRecord.ts';
import type { PageCounts } from '../state/stageCounters.ts';
import type { ShortEnd } from '../state/StageQueries.ts';
import { filledIn } from '../query/isWanted.ts';
import { walkError, stepQuery, type Step } from '../query/stepQuery.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { timeOf } from '../../contract/valuesAt.ts';
import { coverFault } from '../../../operators/split/coverFault.ts';
import type { CoverStep } from '../split/StageCovers.ts';
import type { AreaSplit } from '../split/StageSplit.ts';
import { failureOf } from '../state/failureOf.ts';
import { inJournal } from './addedQueries.ts';
import { newIdsOf, newRowsOf } from './newRows.ts';
import { orAbsent } from './orAbsent.ts';
import { takeFailure } from './takeFailure.ts';
import { endOf, goneOf, stopOf, type WalkEnding } from './walkEnding.ts';

export interface Taken {
  /** Queries that now wait: the next page of this one first, then the queries found in it. */
  readonly queries: readonly StageQuery[];
  /** Rows written. */
  readonly rows: readonly object[];
  readonly step: Step;
  /** How the query ended, if it is short. */
  readonly short?: ShortEnd | undefined;
  /** What followed for the area, if it is a tile. */
  readonly covered?: CoverStep | undefined;
}

/** What becomes of a query after a page. `again`: it is walked once more from the start. `stopped`: the rest is known from an earlier run. */
type Fate = 'on' | 'again' | 'stopped' | 'complete' | 'capped' | 'failed';

/**
 * Takes a page of a query into the store: its rows that are new, the queries that are new, and where the query goes. A page
 * that can't be taken (`step.failure`, not delivered) changes nothing but that the query has failed. `isConfirmed`: it was requested
 * twice, and came the same.
 */
export function takePage(flow: Flow, store: FlowStore, query: StageQuery, page: PageLike, isConfirmed: boolean = false): Taken {
  const stage = flow.byName.get(query.stage)!;
  const looks = store.state.secondLooksOf(stage);
  const hadRows = page.items.length === 0 && store.earlier?.watermarkOf(stage, query.params)?.time !== undefined;
  const { step, lost } = countable(
    stage,
    isConfirmed ? confirmed(stepQuery(flow, query, page, noLooks)) : stepQuery(flow, query, page, looks, hadRows),
  );
  if (step.failure?.delivered === false) return { queries: takeFailure(flow, store, query, step.failure.error), rows: [], step };

  const newIds = newIdsOf(stage, query, step, store);
  const known = store.earlier?.compare(stage, query, page.items, step.rows, newIds);
  const { rows, keys, again, beside, found, unchanged } = newRowsOf(flow, store, stage, step, newIds);

  const isStopped = known?.reached !== undefined;
  const ending = isStopped ? stopOf(stage, query, page, store, known.added) : endOf(stage, query, page, step, { newIds, lost, store });
  const fate = isStopped ? 'stopped' : fateOf(step, ending);
  const isWhole = (fate === 'stopped' || fate === 'complete') && ending.short !== true;

  const over = fate === 'failed' ? 'failed' : fate === 'on' || fate === 'again' ? undefined : 'done';
  const covered = step.tile && store.state.covers.take(stage, query, { ...step.tile, over });
  const unfit = covered?.unfit === undefined ? undefined : unfitError(stage, query, covered.unfit);
  const failure = isStopped ? undefined : (unfit ?? step.failure?.error);

  // A second look that an earlier end of the walk makes needless tells nothing.
  const doubted = isStopped && step.doubted?.is !== 'right' ? undefined : step.doubted;
  const notices = doubted === undefined ? step.notices : [...step.notices, ...looks.said(doubted, stage.operation.name)];

  const record: PageStep = {
    kind: 'page',
    query: query.number,
    received: step.received,
    written: rows.length,
    counts: countsOf({
      skipped: (page.received ?? page.items.length) - page.items.length - (page.others ?? 0) + step.unusable,
      suspect: notices.filter(({ type }) => type === 'suspect').length,
      unconfirmed: doubted?.is === 'trusted' && silentDoubts.has(doubted.doubt) ? 1 : 0,
      outside: step.outside,
      late: known?.late,
    }),
    next: fate === 'on' ? step.move : undefined,
    capped: fate === 'capped' && (covered?.end === undefined || covered.end === 'whole') ? true : undefined,
    failure: failure && failureOf(failure),
    keys: keys.length === 0 ? undefined : textOfDigests(keys),
    ids: step.ids.length === 0 ? undefined : textOfIds(newIds === undefined ? step.ids : [...newIds]),
    claim: ending.claim,
    short: ending.short,
    because: ending.because,
    rewalk: ending.rewalk,
    filled: stage.filled.length === 0 ? undefined : filledIn(stage, rows),
    again: again.length === 0 ? undefined : textOfDigests(again),
    beside: beside.length === 0 ? undefined : textOfDigests(beside),
    wide: covered?.end === 'split' || query.tile?.learns === true || step.wide === true ? true : undefined,
    found: covered === undefined || covered.found.length === 0 ? found : [...(found ?? []), ...inJournal(flow, covered.found)],
    tile: covered && { spots: textOfSpots(step.tile!.spots), rows: step.tile!.rows, over, left: orAbsent(covered.more) },
    places: fate === 'on' ? step.places : undefined,
    unchanged,
    newest: stage.since && newestOf(stage.name, stage.since, query, page.items, store),
    // If a limit capped the walk, the watermark stays: the rows before it are still missing.
    marked:
      stage.since !== undefined && (isWhole || (fate === 'capped' && store.earlier?.watermarkOf(stage, query.params) === undefined))
        ? true
        : undefined,
    reached: known?.reached,
    added: orAbsent(known?.added),
    doubted,
    gone: ending.claim && goneOf(stage, query, store, ending.claim[1], known?.added ?? 0),
  };
  const isSame = !isStopped && failure === step.failure?.error && notices === step.notices;
  const end = isStopped ? 'complete' : step.end;
  const left: Step = isSame
    ? step
    : { ...step, next: record.next && step.next, end, failure: failure && { error: failure, delivered: true }, notices };
  return { queries: store.take(record, rows, left.next), rows, step: left, short: shortEndOf(record), covered };
}

/** No page is requested a second time. */
class NoLooks extends SecondLooks {
  override wants(): boolean {
    return false;
  }
}
const noLooks = new NoLooks();

/** A step that leaves no doubt. */
function confirmed(step: Step): Step {
  return { ...step, doubted: undefined, notices: step.notices.filter(({ type }) => type !== 'unconfirmed') };
}

/** A walk that lost its way has ended where its rows can be counted: what it lacks is short, and walked again. */
function countable({ identity }: FlowStage, step: Step): { readonly step: Step; readonly lost?: Error } {
  if (step.failure === undefined || step.claimed === undefined || identity === undefined) return { step };
  return { step: { ...step, failure: undefined, end: 'complete' }, lost: step.failure.error };
}

function fateOf({ failure, end }: Step, { rewalk }: WalkEnding): Fate {
  if (failure !== undefined) return 'failed';
  return rewalk === undefined ? (end ?? 'on') : 'again';
}

/** Why an area can't be covered. */
function unfitError({ operation, split }: FlowStage, query: StageQuery, unfit: NonNullable<CoverStep['unfit']>): Error {
  const message = `${operation.name}: ${coverFault(unfit, (split as AreaSplit).spec, operation.spec.id)}`;
  return walkError(operation, { message, query: query.walk.query, lastCursor: undefined });
}

/** The time of a query's newest row, where this page moves it. */
function newestOf(
  name: string,
  since: NonNullable<FlowStage['since']>,
  { growth: { newest = -Infinity } = {} }: StageQuery,
  items: readonly unknown[],
  store: FlowStore,
): number | undefined {
  const times = items.map((item) => (typeof item === 'object' && item !== null ? timeOf(item, since.field) : Number.NaN));
  if (items.length > 0) store.dated.set(name, store.dated.get(name) === true || times.some((time) => !Number.isNaN(time)));
  const latest = times.reduce((one, other) => (other > one ? other : one), newest);
  return latest > newest ? latest : undefined;
}

/** The journal leaves out what it doesn't need to say. */
function countsOf(counts: PageCounts): PageCounts | undefined {
  let some: { -readonly [N in keyof PageCounts]: number } | undefined;
  for (const name in counts) {
    const count = counts[name as keyof PageCounts];
    if (count !== undefined && count > 0) (some ??= {})[name as keyof PageCounts] = count;
  }
  return some;
}
