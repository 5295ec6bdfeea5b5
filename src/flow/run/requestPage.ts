import type { Subscription, Observable } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import { Listener } from '../../../operators/kit/Listener.ts';
import type { PageLike } from '../../../operators/PageLike.ts';
import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { type FlowClient, factoryOf } from './FlowClient.ts';
import { recallPage } from '../../client/attachStore.ts';
import { requestExpiring } from '../../fanouts/requestExpiring.ts';

/** Handlers for the outcome of a request. Exactly one is called, unless it is unsubscribed first. */
interface PageReceiver {
  readonly page: (page: PageLike) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Requests the next page of a query, at its stage's node on the path to the files. Returns undefined if it arrived
 * synchronously.
 */
export function requestPage(
  flow: Flow,
  client: FlowClient,
  query: StageQuery,
  node: DemandNode,
  receiver: PageReceiver,
): Subscription | undefined {
  let done = false;
  const once = (act: () => void): void => {
    if (done) return;
    done = true;
    act();
  };
  try {
    const listener = new Listener<PageLike>(
      {
        next: (page) => once(() => receiver.page(page)),
        error: (error: unknown) => once(() => receiver.failed(error)),
        complete: () => once(() => receiver.failed(new Error('the response ended without a page'))),
      },
      flow.byName.get(query.stage)!.lazy,
    );
    withDemand(node, () => pageOf(flow, client, query).subscribe(listener));
    return done ? undefined : listener;
  } catch (error) {
    once(() => receiver.failed(error));
    return undefined;
  }
}

/** The page that a query needs now. Short-lived URLs from a page are requested at once, and renewed if they are too old. */
export function pageOf(flow: Flow, client: FlowClient, query: StageQuery): Observable<PageLike> {
  const stage = flow.byName.get(query.stage)!;
  const options = { rows: stage.rows, label: stage.name, walk: query.number };
  const request = (params: object): Observable<PageLike> => factoryOf(client, stage)(params, options);
  const parent = query.parent === undefined ? undefined : flow.byName.get(query.parent.stage);
  if (parent !== undefined) {
    const page = { operation: parent.operation, query: query.parent!.page };
    recallPage(client, { operation: stage.operation, query: query.walk.query }, page);
  }
  if (stage.fanOut?.expires !== true) return request(query.walk.query);
  const source = parent && {
    query: query.parent!.params,
    request: (params: object) => factoryOf(client, parent)(params, { label: parent.name }),
  };
  return requestExpiring({ spec: stage.fanOut, query: query.walk.query, request, source });
}
