import type { PageLike } from '../../../operators/PageFactory.ts';
import type { Flow, FlowStage, Since } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { JournalFound, PageStep } from '../state/JournalRecord.ts';
import { filledIn } from '../unit/filledIn.ts';
import { ordersOf } from '../unit/queryInOrder.ts';
import { stepUnit, type Step } from '../unit/stepUnit.ts';
import { valuesAt } from '../unit/valuesAt.ts';
import type { Found, Unit } from '../unit/Unit.ts';
import { failureOf } from './failureOf.ts';

/** A query is left short after this many repeats in a row without a new row, or one per order if there are more orders. */
const fewestWalks = 3;
/** A walk that ended before it had even what is known says little: so many of them count as one. */
const cutWalks = 3;

export interface Taken {
  /** Units that now wait: the next page of this one first, then the units found in it. */
  readonly units: readonly Unit[];
  /** Rows written. */
  readonly rows: readonly object[];
  readonly step: Step;
  /** How the query ended, if it is short. */
  readonly short?: { readonly got: number; readonly claimed: number; readonly final: boolean } | undefined;
}

/**
 * Takes a page of a unit into the store: its rows that are new, the units that are new, and where the unit goes. A page
 * that can't be taken (`step.failure`, not delivered) changes nothing but that the unit has failed.
 */
export function takePage(flow: Flow, store: FlowStore, unit: Unit, page: PageLike): Taken {
  const step = stepUnit(flow, unit, page);
  const { failure } = step;
  // A walk that looks for missing rows only ends where it can't go on: there are others.
  const again = failure !== undefined && unit.rewalk !== undefined && unit.walk.claimed !== undefined;
  if (failure?.delivered === false && !again) {
    return { units: takeFailure(store, unit, failure.error), rows: [], step };
  }
  const stage = flow.byName.get(unit.stage)!;
  const stops = step.next !== undefined && store.freshness?.stopsAt(stage, unit, page.items) === true;
  const rows: object[] = [];
  const found: JournalFound[] = [];
  const keys: bigint[] = [];
  const fresh = unit.rewalk === undefined ? undefined : new Set(step.ids.filter((id) => store.state.isNewId(unit.number, id)));
  const ids = fresh ?? step.ids;
  for (const { row, key, id, found: units } of step.rows) {
    if (fresh !== undefined && id !== undefined && !fresh.has(id)) continue;
    if (key !== undefined) {
      if (!store.state.isNewKey(unit.stage, key)) continue;
      keys.push(key);
    }
    rows.push(stage.seen ? store.withSeen(stage, row) : row);
    if (units.length > 0) found.push(...foundAnew(flow, store, units));
  }
  if (step.found.length > 0) found.push(...foundAnew(flow, store, step.found));
  const claimed = again ? unit.walk.claimed : step.claimed;
  const record: PageStep = {
    kind: 'page',
    unit: unit.number,
    received: step.received,
    written: rows.length,
    ...((page.received ?? 0) > page.items.length ? { skipped: page.received! - page.items.length } : {}),
    ...(step.outside === 0 ? {} : { outside: step.outside }),
    ...(step.move === undefined || stops ? {} : { next: step.move }),
    ...(step.end === 'capped' ? { capped: true } : {}),
    ...(failure === undefined || again ? {} : { failure: failureOf(failure.error) }),
    ...(keys.length === 0 ? {} : { keys: digestText(keys) }),
    ...(step.ids.length === 0 ? {} : { ids: digestText([...ids]) }),
    ...((step.end === 'complete' || again) && claimed !== undefined
      ? endOf(stage, unit, { walked: step.got, claimed, fresh: fresh?.size ?? 0, last: page.items.length }, store.state)
      : {}),
    ...(stage.filled.length === 0 ? {} : { filled: filledIn(stage, rows) }),
    ...(found.length === 0 ? {} : { found }),
    ...(stage.since === undefined ? {} : markOf(stage.since, unit, page.items, stops || step.end !== undefined)),
  };
  const { claim, short: isShort } = record;
  const short = isShort === undefined || claim === undefined ? undefined : { got: claim[0], claimed: claim[1], final: isShort === 'final' };
  const left = stops ? { ...step, next: undefined, end: 'complete' as const } : again ? { ...step, failure: undefined } : step;
  return { units: store.take(record, rows, left.next), rows, step: left, short };
}

/** The end of a walk. */
interface WalkEnd {
  /** Rows that it had. */
  readonly walked: number;
  readonly claimed: number;
  /** New rows of its last page, and all rows of it. */
  readonly fresh: number;
  readonly last: number;
}

/** Whether a last page of so many rows looks like one in the middle: full, since services page by tens, or empty where no walk has to end so. */
function looksCut(rows: number, { paging }: FlowStage['factory']): boolean {
  return rows % 10 === 0 && (rows > 0 || paging.kind === 'cursor');
}

/** The result of a walk when the number of rows is known. */
function endOf(
  stage: FlowStage,
  unit: Unit,
  { walked, claimed, fresh, last }: WalkEnd,
  state: FlowStore['state'],
): Pick<PageStep, 'claim' | 'short' | 'rewalk'> {
  const { rewalk } = unit;
  const got = rewalk === undefined ? walked : state.idCount(unit.number);
  const claim = [got, claimed] as const;
  // Claims are off by a few rows, but a full last page means that there is another.
  const tolerated = looksCut(last, stage.factory) ? 0 : Math.max(stage.tolerance.rows, claimed * stage.tolerance.share);
  const isShort = claimed - got > tolerated;
  if (rewalk === undefined || got >= claimed) return isShort ? { claim, short: true } : { claim };
  const idle = rewalk.fresh + fresh > 0 ? 0 : rewalk.idle + (walked < got ? 1 : cutWalks);
  const orders = ordersOf(stage, unit.query).length;
  if (idle < cutWalks * Math.max(fewestWalks, orders)) return { rewalk: { order: (rewalk.order + 1) % orders, idle } };
  if (!isShort) return { claim };
  return { claim, short: rewalk.gained + fresh > 0 ? true : 'final' };
}

/** Moves a query's watermark after a page. A failed walk doesn't move it: the rows between are still missing. */
function markOf(since: Since, { newest }: Unit, items: readonly unknown[], ended: boolean): Pick<PageStep, 'newest' | 'marked'> {
  const times = items.flatMap((item) => (typeof item === 'object' && item !== null ? valuesAt(item, since.field) : []));
  const latest = times.filter((time) => typeof time === 'string').reduce((one, other) => (other > one ? other : one), newest ?? '');
  return { ...(latest === (newest ?? '') ? {} : { newest: latest }), ...(ended ? { marked: true } : {}) };
}

function digestText(digests: readonly bigint[]): string {
  const bytes = Buffer.alloc(8 * digests.length);
  digests.forEach((digest, index) => bytes.writeBigUInt64LE(digest, index * 8));
  return bytes.toString('base64');
}

/** Records a unit as failed. */
export function takeFailure(store: FlowStore, unit: Unit, error: unknown): readonly Unit[] {
  return store.take({ kind: 'failure', unit: unit.number, failure: failureOf(error) });
}

/** New units in the journal's form. */
export function foundAnew(flow: Flow, store: FlowStore, found: readonly Found[]): JournalFound[] {
  const asked = found.filter(({ stage, query, unless }) => store.freshness?.skips(flow.byName.get(stage)!, query, unless) !== true);
  return store.state.onlyNew(asked).map(({ stage, query, kept, claimed, tile, unless }) => {
    const index = flow.stages.indexOf(flow.byName.get(stage)!);
    if (unless !== undefined) return [index, query, kept ?? null, claimed ?? null, tile ?? null, unless];
    if (tile !== undefined) return [index, query, kept ?? null, claimed ?? null, tile];
    if (claimed !== undefined) return [index, query, kept ?? null, claimed];
    return kept === undefined ? [index, query] : [index, query, kept];
  });
}

/** Stores how far the seeds were read and the new units. Returns the new units. */
export function takeSeeds(flow: Flow, store: FlowStore, stage: FlowStage, { position, crc, ended, found }: SeedBatch): readonly Unit[] {
  const index = flow.stages.indexOf(stage);
  return store.take({
    kind: 'seeds',
    stage: index,
    position,
    crc,
    ...(ended ? { ended } : {}),
    found: foundAnew(flow, store, found),
  });
}
