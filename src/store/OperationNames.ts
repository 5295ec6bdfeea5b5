import { maxOperations } from './EntryTable.ts';

/** The names of a store's operations, `service/operation`, by the numbers that its entries have. */
export class OperationNames {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#names.length === maxOperations) throw new RangeError(`a store holds at most ${maxOperations} operations`);
      this.#numbers.set(name, (number = this.#names.push(name) - 1));
    }
    return number;
  }

  nameOf(number: number): string {
    return this.#names[number]!;
  }
}
