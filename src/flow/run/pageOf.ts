import type { Observable } from 'rxjs';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { requestExpiring } from '../../fanouts/requestExpiring.ts';
import type { Flow } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';

/** The page that a query needs now. Short-lived URLs from a page are requested at once, and renewed if they are too old. */
export function pageOf(flow: Flow, client: FlowClient, query: StageQuery): Observable<PageLike> {
  const stage = flow.byName.get(query.stage)!;
  const options = { rows: stage.rows, label: stage.name, walk: query.number };
  const request = (params: object): Observable<PageLike> => factoryOf(client, stage)(params, options);
  if (stage.fanOut?.expires !== true) return request(query.walk.query);
  const parent = query.parent === undefined ? undefined : flow.byName.get(query.parent.stage);
  const source = parent && {
    query: query.parent!.params,
    request: (params: object) => factoryOf(client, parent)(params, { label: parent.name }),
  };
  return requestExpiring({ spec: stage.fanOut, query: query.walk.query, request, source });
}
