import { AuthError, BudgetError, RateLimitError, TrawlerError } from '../../errors/index.ts';
import type { Refusal } from './Task.ts';
import type { EventHub } from '../events/EventHub.ts';
import type { Settings } from '../options/resolveOptions.ts';

/** Refuses requests with a key that the service has rejected. */
export function authRefusal(status: number | undefined, code: number | string | undefined): Refusal {
  return (details) => {
    const why =
      status === undefined
        ? "the key can't be made ready"
        : `the service refused the key (HTTP ${status}${status === 200 ? `, code ${code}` : ''})`;
    const what = `not sent, because ${why}; check apiKey and make a new client`;
    return new AuthError(`${details.operation}: ${what}`, { ...details, status });
  };
}

/** Refuses requests beyond `maxRequests`. The first refusal emits an event. */
export function budgetRefusal({ maxRequests, clock }: Settings, events: EventHub): Refusal {
  let told = false;
  return (details) => {
    if (!told && events.on) {
      events.emit({ type: 'budget', operation: details.operation, query: details.query ?? {}, at: clock.wall(), maxRequests });
    }
    told = true;
    const what = `not sent, because the budget of ${maxRequests} ${maxRequests === 1 ? 'request' : 'requests'} is used up; raise maxRequests to continue`;
    return new BudgetError(`${details.operation}: ${what}`, details);
  };
}

/** Refuses requests that would wait for a pause longer than `maxRetryAfterMs`. `until` is in milliseconds since 1970. */
export function pauseRefusal(until: number, retryAfterMs: number): Refusal {
  return (details) => {
    const what = `not sent, because the service asks for a pause until ${new Date(until).toISOString()}, longer than retry.maxRetryAfterMs allows`;
    return new RateLimitError(`${details.operation}: ${what}`, { ...details, kind: 'throttled', retryAfterMs, pausedUntil: until });
  };
}

/** Refuses requests after a used-up quota. Nobody knows when there is more. */
export const quotaRefusal: Refusal = (details) => {
  const what = 'not sent, because a quota of the service is used up, and it does not say until when; come back later with a new client';
  return new RateLimitError(`${details.operation}: ${what}`, { ...details, kind: 'quota' });
};

/** Refuses requests to a closed client, and ends those in flight. */
export const closedRefusal: Refusal = (details) =>
  new TrawlerError(`${details.operation}: the client is closed; make a new one to continue`, { ...details, kind: 'closed' });
