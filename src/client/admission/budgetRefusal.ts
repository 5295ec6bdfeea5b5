import { BudgetError } from '../../errors/index.ts';
import type { EventHub } from '../events/EventHub.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { Refusal } from './Task.ts';

/** Refuses requests beyond `maxRequests`. The first refusal emits an event. */
export function budgetRefusal({ maxRequests, clock }: Settings, events: EventHub): Refusal {
  let told = false;
  return (details) => {
    if (!told && events.on) {
      events.emit({ type: 'budget', operation: details.operation, query: details.query ?? {}, at: clock.wall(), maxRequests });
    }
    told = true;
    const what = `not sent, because the budget of ${maxRequests} requests is used up; raise maxRequests to go on`;
    return new BudgetError(`${details.operation}: ${what}`, details);
  };
}
