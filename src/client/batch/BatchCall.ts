import { failureKinds } from '../../errors/failureKinds.ts';
import type { AttemptFailure } from '../attempt/AttemptFailure.ts';
import { Call } from '../attempt/Call.ts';
import type { RawResponse } from '../attempt/RunningAttempt.ts';
import type { ClientCore } from '../ClientCore.ts';
import type { Page } from '../Page.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { Batch } from './Batch.ts';
import type { BatchMember } from './SharedRequest.ts';
import { batchHeader } from './batchHeader.ts';

/** The request of a batch. If it is refused, each half is requested, until the id that is to blame is alone. */
export class BatchCall extends Call {
  readonly #batch: Batch;
  readonly #send: (half: Batch) => void;

  constructor(core: ClientCore, batch: Batch, send: (half: Batch) => void) {
    const [{ request, node }] = batch.members as [BatchMember];
    const query = { ...request.query, [batch.param.name]: batch.ids };
    // Rows are compared with ids, so they are read.
    super(core, { ...request, node, query, lazy: false, walk: undefined, subscriber: batch });
    this.#batch = batch;
    this.#send = send;
    this.keep = core.stored?.responses.records === true;
  }

  /** Its queries are listed themselves. */
  override explain(): undefined {
    return undefined;
  }

  protected override queue(): void {
    this.core.admission.enqueue(this, false);
  }

  protected override giveUp(failure: AttemptFailure, note: string): void {
    const halves = isRefusal(failure) ? this.#batch.halves() : undefined;
    if (halves === undefined) return super.giveUp(failure, note);
    this.end(false);
    this.tellRetry(failure, 0);
    this.leave(() => halves.forEach((half) => this.#send(half)));
  }

  /** That one of its ids is unknown may be what makes a response empty by a rule. */
  override came(response: Payload, bytes: number, raw?: RawResponse): void {
    this.#batch.isEmpty = response.verdict !== undefined;
    super.came(response, bytes, raw);
  }

  override delivered(_page: Page, raw: RawResponse): void {
    const { parts, ids } = this.#batch;
    const shared: RawResponse = { ...raw, headers: { ...raw.headers, [batchHeader]: JSON.stringify(ids) } };
    for (const [call, part] of parts) call.delivered(part, part.batch === undefined ? raw : shared);
  }
}

/** The service refuses what the request says, so a part of it may be fine. */
function isRefusal({ kind, error }: AttemptFailure): boolean {
  return !failureKinds[kind].passes && kind !== 'auth' && (error === 'HttpError' || error === 'EnvelopeError');
}
