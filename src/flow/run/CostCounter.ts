import { madeIn } from '../../../operators/kit/once.ts';
import type { ClientEvent } from '../../client/events/clientEvents.ts';
import { paidFor, requestPrice, type Service } from '../../contract/index.ts';
import { addCost, noCost, type StageCost, type StageCosts } from '../core/stageCosts.ts';

/** Counts what the requests of each stage are for, and what they cost, from the events of the client. */
export class CostCounter {
  readonly #price: Service['price'];
  readonly #isSecondLook: (query: number) => boolean;
  /** Calls whose request is on its way. */
  readonly #sent = new Set<number>();
  #costs = new Map<string, StageCost>();

  constructor({ price }: Service, isSecondLook: (query: number) => boolean) {
    this.#price = price;
    this.#isSecondLook = isSecondLook;
  }

  event(event: ClientEvent): void {
    const { label } = event as { readonly label?: string };
    if (label === undefined) return;
    if (event.type === 'hit') this.#add(label, { saved: 1 });
    else if (event.type === 'request') {
      this.#sent.add(event.id);
      const again = event.walk !== undefined && event.attempt === 1 && this.#isSecondLook(event.walk);
      const money = requestPrice(this.#price, event.operation) ?? 0;
      this.#add(label, { requests: 1, retries: Number(event.attempt > 1), again: Number(again), money });
    } else if (event.type === 'response' || event.type === 'pending') this.#sent.delete(event.id);
    else if ((event.type === 'retry' || event.type === 'failure') && this.#sent.delete(event.id)) {
      const price = requestPrice(this.#price, event.operation) ?? 0;
      const paid = paidFor(this.#price, {}, true) ?? price;
      this.#add(label, { failed: 1, money: paid - price, failedMoney: paid });
    }
  }

  #add(stage: string, more: Readonly<Partial<StageCost>>): void {
    addCost(madeIn(this.#costs, stage, noCost), more);
  }

  /** The costs since the last call. undefined: there are none. */
  take(): StageCosts | undefined {
    if (this.#costs.size === 0) return undefined;
    const some = (cost: StageCost): Partial<StageCost> => Object.fromEntries(Object.entries(cost).filter(([, value]) => value !== 0));
    const costs = Object.fromEntries(Array.from(this.#costs, ([stage, cost]) => [stage, some(cost)]));
    this.#costs = new Map();
    return costs;
  }
}
