import type { Flow } from '../definition/Flow.ts';
import type { Unit } from '../unit/Unit.ts';

/** Units that wait for a request. The deepest stage comes first. Within a stage: started units, then order of arrival. */
export class UnitQueue {
  readonly #depths: { going: Unit[]; fresh: Unit[]; at: number }[] = [];
  readonly #flow: Flow;
  #size = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  get size(): number {
    return this.#size;
  }

  add(units: Iterable<Unit>): void {
    for (const unit of units) {
      const { depth } = this.#flow.byName.get(unit.stage)!;
      while (this.#depths.length <= depth) this.#depths.push({ going: [], fresh: [], at: 0 });
      const level = this.#depths[depth]!;
      (unit.walk.pages > 0 ? level.going : level.fresh).push(unit);
      this.#size += 1;
    }
  }

  take(): Unit | undefined {
    for (let depth = this.#depths.length - 1; depth >= 0; depth--) {
      const level = this.#depths[depth]!;
      const going = level.going.pop();
      if (going !== undefined) {
        this.#size -= 1;
        return going;
      }
      if (level.at === level.fresh.length) continue;
      const unit = level.fresh[level.at]!;
      level.at += 1;
      this.#size -= 1;
      if (level.at > 1024 && level.at * 2 > level.fresh.length) {
        // Shifting an array one by one takes quadratic time.
        level.fresh = level.fresh.slice(level.at);
        level.at = 0;
      }
      return unit;
    }
    return undefined;
  }
}
