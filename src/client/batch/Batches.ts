import { countOf } from '../../../operators/kit/countOf.ts';
import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { batchOf, batchIds, pagingRequestOf, rowsOfIds, type BatchParam, type Operation } from '../../contract/index.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import { firstQueryOf } from '../store/renewWalk.ts';
import { Batch } from './Batch.ts';
import type { BatchMember, QueryBatches } from './SharedRequest.ts';
import { Call } from '../attempt/Call.ts';

/** The queries of one client that share requests. A batch is sent when it is full, or at the end of the turn. */
export class Batches implements QueryBatches {
  readonly #core: ClientCore;
  readonly #open = new Map<string, Batch>();
  #endsTurn = false;

  constructor(core: ClientCore) {
    this.#core = core;
  }

  get waiting(): number {
    return Array.from(this.#open.values()).reduce((sum, { size }) => sum + size, 0);
  }

  join(call: BatchMember): Batch | undefined {
    const param = call.request.plan.batch;
    const batch = param && this.#batchFor(param, call);
    if (batch === undefined) return undefined;
    if (batch.size > 0) call.shareSlot();
    batch.add(call);
    if (batch.isFull) this.#send(batch);
    else this.#sendSoon();
    return batch;
  }

  #send(batch: Batch): void {
    this.#forget(batch);
    batch.keeps = this.#core.stored?.records === true;
    const [{ request, node }] = batch.members as [BatchMember];
    // Rows are compared with ids, so they are read.
    const query = { ...request.query, [batch.param.name]: batch.ids };
    const purpose = { ...request, node, query, lazy: false, walk: undefined, subscriber: batch };
    const call = new Call(this.#core, purpose, undefined, batch);
    batch.call = call;
    call.start();
  }

  #forget(batch: Batch): void {
    for (const [key, open] of this.#open) if (open === batch) this.#open.delete(key);
  }

  #tellStrange({ param, members: [first] }: Batch, rows: number): void {
    const { events, settings } = this.#core;
    if (!events.on) return;
    const { operation, query } = first!.request;
    const message = `${countOf(rows, 'row')} of a batch have none of its ids here; each of its queries is sent alone`;
    const issues = [{ path: param.match.path, message }];
    events.emit({ type: 'drift', operation: operation.name, query, at: settings.clock.wall(), skipped: 0, issues });
  }

  partOf(operation: Operation, query: object, page: ResponsePage, batch: readonly string[]): ResponsePage {
    const param = batchOf(operation);
    return param === undefined ? page : page.part(query, rowsOfIds(param, page.items, new Set(batchIds(param, query))), batch, true);
  }

  #batchFor(param: BatchParam, { request: { operation, query, rows, missing, label, batch: fixed } }: BatchMember): Batch | undefined {
    const ids = batchIds(param, query);
    if (ids.length === 0 || (fixed === undefined && isLater(operation, query))) return undefined;
    const key = canonicalJson([operation.name, rows, missing, label, fixed, { ...query, [param.name]: undefined }]);
    const open = this.#open.get(key);
    if (open?.hasRoomFor(ids) === true) return open;
    if (open !== undefined) this.#send(open);
    const made = new Batch(param, fixed, {
      forget: (batch) => this.#forget(batch),
      strange: (batch, rows) => this.#tellStrange(batch, rows),
    });
    this.#open.set(key, made);
    return made;
  }

  #sendSoon(): void {
    if (this.#endsTurn) return;
    this.#endsTurn = true;
    setImmediate(() => {
      this.#endsTurn = false;
      for (const batch of Array.from(this.#open.values())) this.#send(batch);
    });
  }
}

/** Whether a query is for a later page of its walk. */
function isLater(operation: Operation, query: object): boolean {
  const { paging } = operation.spec;
  const first = firstQueryOf(operation, query);
  return pagingRequestOf(paging).params.some(
    (param) => ownValue(query, param) !== undefined && ownValue(query, param) !== ownValue(first, param),
  );
}
