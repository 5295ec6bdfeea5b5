import { Observable } from 'rxjs';
import type { PageRequest, WalkEvent } from '../../operators/PageLike.ts';
import { anything, signal, text } from '../../operators/options/kinds.ts';
import { declareOptions } from '../../operators/options/OptionSet.ts';
import { takesLazy } from '../../operators/kit/Listener.ts';
import { currentDemand } from '../../operators/demand/demandScope.ts';
import { InvalidQueryError, PaginationError } from '../errors/index.ts';
import { checkQuery, type Operation } from '../contract/index.ts';
import { Call } from './attempt/Call.ts';
import { loadXml } from './response/formats/readXml.ts';
import { StoreCall } from './store/StoreCall.ts';
import type { ClientCore } from './ClientCore.ts';
import type { Page } from './Page.ts';

const requestOptions = declareOptions<PageRequest>()({
  rows: text('a dotted path in the response'),
  signal: signal(),
  label: anything(),
  walk: anything(),
  batch: anything(),
});
const noOptions: PageRequest = {};

/**
 * Creates a function from a query to an Observable of one page. It is cold: each subscription checks the query and
 * makes one request. Unsubscribing, or the signal, cancels the request.
 */
export function createFactory(core: ClientCore, operation: Operation): (query: object, request?: PageRequest) => Observable<Page> {
  if (operation.spec.format === 'xml') loadXml();
  const factory = (query: object, request: PageRequest = noOptions): Observable<Page> => {
    // A plain `mergeMap(client.search)` passes an index here.
    if (request !== noOptions && typeof request === 'object') requestOptions.check(operation.name, request);
    return new Observable((subscriber) => {
      const { rows, signal, label, walk, batch } = request;
      if (signal?.aborted === true) return subscriber.error(signal.reason);
      const issues = checkQuery(operation, query);
      if (issues.length > 0) {
        const what = issues.map((issue) => issue.message).join('; ');
        return subscriber.error(new InvalidQueryError(`${operation.name}: ${what}`, { operation: operation.name, query }));
      }
      const { stored } = core;
      const purpose = { operation, query, rows, lazy: takesLazy(subscriber), label, walk, batch, node: currentDemand(), subscriber };
      const call = stored?.open === true ? new StoreCall(core, stored, purpose) : new Call(core, purpose);
      if (signal === undefined) {
        subscriber.add(() => call.cancel());
      } else {
        const abort = (): void => subscriber.error(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        subscriber.add(() => {
          signal.removeEventListener('abort', abort);
          call.cancel();
        });
      }
      call.start();
    });
  };
  return Object.defineProperties(factory, {
    name: { value: operation.name },
    list: { value: operation.spec.list, enumerable: true },
    paging: { value: operation.spec.paging, enumerable: true },
    operation: { value: operation, enumerable: true },
    spec: { value: operation.spec },
    heedsDemand: { value: true },
    notify: { value: (event: WalkEvent) => notify(core, event) },
    paginationError: {
      value: (message: string, details: { readonly query: object; readonly lastCursor?: string | number | object | undefined }) =>
        new PaginationError(message, { operation: operation.name, ...details }),
    },
  });
}

/** Emits a walk's notice as an event of the client. */
function notify(core: ClientCore, event: WalkEvent): void {
  if (!core.events.on) return;
  const at = core.settings.clock.wall();
  core.events.emit(event.type === 'drift' ? { ...event, at, skipped: 0 } : { ...event, at });
}
