import { Observable, Subject } from 'rxjs';
import type { PageLike } from '../../operators/PageLike.ts';
import type { ClientStats } from '../../src/client/Client.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import type { FlowClient } from '../../src/flow/index.ts';
import { rowsAt } from '../../operators/walk/rowsAt.ts';
import { operations, type OperationName } from '../../src/search/index.ts';
import { idleStats } from '../idleStats.ts';

export interface Asked {
  readonly operation: string;
  readonly query: { readonly [param: string]: string | number | undefined };
}

export interface FakeClient extends FlowClient {
  /** Every request, in order. */
  readonly asked: Asked[];
  /** Requests that wait for their response right now, at most. */
  most: number;
  stats(): ClientStats;
}

/**
 * A client without a network: `response` gives the data of a response, or throws what the request fails with. Responses come
 * in a later turn of the event loop, or at once with `sync`.
 */
export function fakeClient(response: (asked: Asked) => unknown, options: { readonly sync?: boolean } = {}): FakeClient {
  const events = new Subject<ClientEvent>();
  const asked: Asked[] = [];
  let inFlight = 0;
  const ask = (operation: OperationName) => (query: object, request?: { readonly rows?: string }) =>
    new Observable<PageLike>((subscriber) => {
      const one = { operation, query: { ...query } };
      const id = asked.push(one);
      const base = { operation, query, at: Date.now(), id, attempt: 1 };
      inFlight += 1;
      client.most = Math.max(client.most, inFlight);
      let over = false;
      const end = (): void => {
        if (!over) inFlight -= 1;
        over = true;
      };
      const reply = (): void => {
        end();
        try {
          const data = response(one);
          const { items, list } = rowsAt(data, request?.rows ?? operations[operation].spec.rows);
          events.next({ ...base, type: 'response', status: 200, ms: 1, bytes: 1, items: items.length, requestId: '' });
          subscriber.next({ operation, query, data, items, list });
          subscriber.complete();
        } catch (error) {
          events.next({ ...base, type: 'failure', error: error as never });
          subscriber.error(error);
        }
      };
      events.next({ ...base, type: 'request' });
      if (options.sync === true) return reply();
      const later = setImmediate(reply);
      return () => {
        clearImmediate(later);
        end();
      };
    });
  const stats = (): ClientStats => ({ ...idleStats, inFlight, requests: asked.length, responses: asked.length - inFlight });
  const factories = Object.fromEntries((Object.keys(operations) as OperationName[]).map((name) => [name, ask(name)]));
  const client: FakeClient = { ...factories, asked, most: 0, stats, events$: events };
  return client;
}
