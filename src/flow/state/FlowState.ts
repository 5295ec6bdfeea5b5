import { moveWalk } from '../../../operators/walk/moveWalk.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { digestOf } from '../unit/digestOf.ts';
import type { Found, Lineage, Unit } from '../unit/Unit.ts';
import { unitKey } from '../unit/unitKey.ts';
import { DigestSet } from './DigestSet.ts';
import type { FailureStep, JournalFound, JournalStep, PageStep, UnitFailure } from './JournalRecord.ts';

export interface StageCounts {
  done: number;
  waiting: number;
  failed: number;
  capped: number;
  pages: number;
  rows: number;
}

export interface SeedsState {
  position: number;
  crc: number;
  ended: boolean;
}

export interface FailedUnit {
  readonly unit: Unit;
  readonly failure: UnitFailure;
}

/**
 * Where a flow stands: what was found, what ended, what waits. It changes by journal steps only, so replaying a
 * journal gives the very state that the run was in.
 */
export class FlowState {
  readonly counts: ReadonlyMap<string, StageCounts>;
  readonly seeds: ReadonlyMap<string, SeedsState>;
  /** By number. */
  readonly waiting: Map<number, Unit> = new Map();
  readonly failed: Map<number, FailedUnit> = new Map();
  readonly #flow: Flow;
  readonly #known = new DigestSet();
  readonly #keys = new Map<string, DigestSet>();
  #next = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.counts = new Map(flow.stages.map(({ name }) => [name, { done: 0, waiting: 0, failed: 0, capped: 0, pages: 0, rows: 0 }]));
    this.seeds = new Map(
      flow.stages.filter((stage) => stage.parents.length === 0).map(({ name }) => [name, { position: 0, crc: 0, ended: false }]),
    );
  }

  /** Those that weren't found before, and counts them as found from here on; a step must follow that says so. */
  onlyNew(found: readonly Found[]): Found[] {
    return found.filter(({ stage, query }) => this.#known.add(digestOf(unitKey(this.#flow.byName.get(stage)!, query))));
  }

  /** Whether no row of this stage had this key before, and counts it as seen from here on. */
  isNewKey(stage: string, key: bigint): boolean {
    let keys = this.#keys.get(stage);
    if (keys === undefined) this.#keys.set(stage, (keys = new DigestSet()));
    return keys.add(key);
  }

  /**
   * Makes the step true. Gives the units that now wait and didn't before: the next page of this one first, then what
   * was found. `next` is the unit's next state where it is known; else it is made from the step.
   */
  apply(step: JournalStep, next?: Unit): Unit[] {
    if (step.kind === 'seeds') {
      const seeds = this.seeds.get(this.#stage(step.stage).name);
      if (seeds !== undefined) Object.assign(seeds, { position: step.position, crc: step.crc, ended: step.ended === true });
      return step.found.map((found) => this.#find(found, undefined));
    }
    const unit = this.waiting.get(step.unit);
    if (unit === undefined) throw new RangeError(`a step for unit ${step.unit}, which isn't waiting`);
    return step.kind === 'page' ? this.#page(unit, step, next) : this.#failure(unit, step);
  }

  /** For steps that were written by another process: what they hold counts as found and seen. */
  recall(step: JournalStep): void {
    if (step.kind === 'failure') return;
    for (const [stage, query] of step.found ?? []) this.#known.add(digestOf(unitKey(this.#stage(stage), query)));
    if (step.kind !== 'page' || step.keys === undefined) return;
    const { stage } = this.waiting.get(step.unit)!;
    const bytes = Buffer.from(step.keys, 'base64');
    for (let at = 0; at < bytes.length; at += 8) this.isNewKey(stage, bytes.readBigUInt64LE(at));
  }

  /** The units that failed wait again. */
  reopen(): void {
    for (const [number, { unit }] of this.failed) {
      const counts = this.counts.get(unit.stage)!;
      counts.failed -= 1;
      counts.waiting += 1;
      this.waiting.set(number, unit);
    }
    this.failed.clear();
  }

  #page(unit: Unit, step: PageStep, known: Unit | undefined): Unit[] {
    const counts = this.counts.get(unit.stage)!;
    counts.pages += 1;
    counts.rows += step.written;
    const after: Unit[] = [];
    if (step.next !== undefined) {
      const { factory, walk } = this.#flow.byName.get(unit.stage)!;
      const next: Unit = known ?? { ...unit, walk: moveWalk(factory, unit.walk, step.next, walk), delivered: undefined };
      this.waiting.set(unit.number, next);
      after.push(next);
    } else if (step.failure === undefined) {
      this.waiting.delete(unit.number);
      counts.waiting -= 1;
      counts.done += 1;
      if (step.capped === true) counts.capped += 1;
    } else {
      this.#fail({ ...unit, delivered: true }, step.failure);
    }
    if (step.found === undefined) return after;
    const parent: Lineage = { stage: unit.stage, query: unit.query, parent: unit.parent };
    for (const found of step.found) after.push(this.#find(found, parent));
    return after;
  }

  #failure(unit: Unit, { failure }: FailureStep): Unit[] {
    this.#fail(unit, failure);
    return [];
  }

  #fail(unit: Unit, failure: UnitFailure): void {
    const counts = this.counts.get(unit.stage)!;
    counts.waiting -= 1;
    counts.failed += 1;
    this.waiting.delete(unit.number);
    this.failed.set(unit.number, { unit, failure });
  }

  #find([index, query, kept]: JournalFound, parent: Lineage | undefined): Unit {
    const stage = this.#stage(index);
    const unit: Unit = { number: this.#next++, stage: stage.name, query, kept, parent, walk: startWalk(stage.factory, query, stage.walk) };
    this.waiting.set(unit.number, unit);
    this.counts.get(stage.name)!.waiting += 1;
    return unit;
  }

  #stage(index: number): FlowStage {
    const stage = this.#flow.stages[index];
    if (stage === undefined) throw new RangeError(`the flow has no stage number ${index}`);
    return stage;
  }
}
