import type { PageLike } from '../../../operators/PageFactory.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import type { JournalFound, PageStep } from '../state/JournalRecord.ts';
import { stepUnit, type Step } from '../unit/stepUnit.ts';
import type { Found, Unit } from '../unit/Unit.ts';
import { failureOf } from './failureOf.ts';

export interface Taken {
  /** Units that wait from now on: the next page of this one first, then what was found in it. */
  readonly units: readonly Unit[];
  /** What was written. */
  readonly rows: readonly object[];
  readonly step: Step;
}

/**
 * Takes a page of a unit into the store: its rows that are new, the units that are new, and where the unit goes. A page
 * that can't be taken (`step.failure`, not delivered) changes nothing but that the unit has failed.
 */
export function takePage(flow: Flow, store: FlowStore, unit: Unit, page: PageLike): Taken {
  const step = stepUnit(flow, unit, page);
  const { failure } = step;
  if (failure?.delivered === false) {
    return { units: takeFailure(store, unit, failure.error), rows: [], step };
  }
  const rows: object[] = [];
  const found: JournalFound[] = [];
  const keys: Buffer[] = [];
  for (const { row, key, found: units } of step.rows) {
    if (key !== undefined) {
      if (!store.state.isNewKey(unit.stage, key)) continue;
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(key);
      keys.push(bytes);
    }
    rows.push(row);
    if (units.length > 0) found.push(...foundAnew(flow, store, units));
  }
  if (step.found.length > 0) found.push(...foundAnew(flow, store, step.found));
  const record: PageStep = {
    kind: 'page',
    unit: unit.number,
    received: step.received,
    written: rows.length,
    ...(step.move === undefined ? {} : { next: step.move }),
    ...(step.end === 'capped' ? { capped: true } : {}),
    ...(failure === undefined ? {} : { failure: failureOf(failure.error) }),
    ...(keys.length === 0 ? {} : { keys: Buffer.concat(keys).toString('base64') }),
    ...(found.length === 0 ? {} : { found }),
  };
  return { units: store.take(record, rows, step.next), rows, step };
}

/** Puts a unit on record as failed. */
export function takeFailure(store: FlowStore, unit: Unit, error: unknown): readonly Unit[] {
  return store.take({ kind: 'failure', unit: unit.number, failure: failureOf(error) });
}

/** Units that weren't found before, as the journal writes them. */
export function foundAnew(flow: Flow, store: FlowStore, found: readonly Found[]): JournalFound[] {
  return store.state.onlyNew(found).map(({ stage, query, kept }) => {
    const index = flow.stages.indexOf(flow.byName.get(stage)!);
    return kept === undefined ? [index, query] : [index, query, kept];
  });
}

/** Takes seeds into the store: how far they were read, and the units that are new. Gives these. */
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
