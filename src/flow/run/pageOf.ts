import type { Observable } from 'rxjs';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { askBriefly } from '../../fanouts/askBriefly.ts';
import type { Flow } from '../definition/Flow.ts';
import type { Unit } from '../unit/Unit.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';

/** The page that a unit needs now. Short-lived URLs from a page are requested at once, and renewed if they are too old. */
export function pageOf(flow: Flow, client: FlowClient, unit: Unit): Observable<PageLike> {
  const stage = flow.byName.get(unit.stage)!;
  const request = { rows: stage.rows, lazy: stage.reads !== undefined, label: stage.name, walk: unit.number };
  const ask = (query: object): Observable<PageLike> => factoryOf(client, stage)(query, request);
  if (stage.fanOut?.expires !== true) return ask(unit.walk.query);
  const parent = unit.parent === undefined ? undefined : flow.byName.get(unit.parent.stage);
  const source = parent && { query: unit.parent!.query, ask: (query: object) => factoryOf(client, parent)(query, { label: parent.name }) };
  return askBriefly({ spec: stage.fanOut, query: unit.walk.query, ask, source });
}
