import { DemandNode } from './DemandNode.ts';

/**
 * The node of a value on its way from one operator to the next. What a plain operator subscribes to in between hangs
 * under it: in `mergeMap(search)` the page that replaces the value, in `map((row) => firstValueFrom(search(row)))` a
 * page that stays inside it.
 *
 * The difference shows at once. If the value then goes on to the next operator, the page is inside it. Whoever takes
 * the value may wait for that page, so nothing on the path holds it back.
 */
export class ValueNode extends DemandNode {
  static #count = 0;
  readonly #number = ValueNode.#count++;
  #free = false;

  /** The node for a value that is emitted under `node`, without a chain of values that were emitted one inside the other. */
  static under(node: DemandNode): ValueNode {
    let parent = node;
    while (parent instanceof ValueNode) {
      if (parent.#free) return parent;
      parent = parent.parent!;
    }
    return new ValueNode(parent, parent.depth);
  }

  override get value(): number {
    return this.#number;
  }

  /** The value went on, so what hangs here isn't on its path to the sink. */
  goesOn(): void {
    this.#free = true;
  }

  override holder(): DemandNode | undefined {
    return this.#free ? undefined : super.holder();
  }
}
