import type { ClientEvent } from '../../client/events/clientEvents.ts';
import type { FlowClient } from './FlowClient.ts';
import type { RunControl } from './RunControl.ts';
import { countOf } from '../report/format.ts';
import { join } from 'node:path';
import { ownFolder } from '../../files/takeWatchedLock.ts';
import { writeAllSync } from '../../files/blocks.ts';
import type { OpenFile } from '../../sinks/index.ts';
import { modeOf, type FlowFolder } from '../state/FlowFolder.ts';

interface RequestBudgetOptions {
  readonly limit: number;
  /** Whether the limit is set by the flow, and not by an option of the run. */
  readonly isOfFlow: boolean;
  /** The quote that sets the limit. */
  readonly quoteId?: string | undefined;
  /** Counts what is sent within a quote, for later runs too. */
  readonly sent?: SentCount | undefined;
}

/** Counts a client's requests, retries included. Tells the run when the last one was sent, and then each time one ends. */
export class RequestBudget {
  readonly #client: FlowClient;
  readonly #limit: number;
  readonly #isOfFlow: boolean;
  readonly #quoteId: string | undefined;
  readonly #quoteCount: SentCount | undefined;
  readonly #run: Pick<RunControl, 'free' | 'fail' | 'holdBack'>;
  /** The client's requests before this run. */
  readonly #before: number;
  /** The ids of the requests in flight. */
  readonly #inFlight = new Set<number>();
  #count = 0;
  /** What `takeSpent` has returned so far. */
  #taken = 0;

  constructor(
    client: FlowClient,
    { limit, isOfFlow, quoteId, sent }: RequestBudgetOptions,
    run: Pick<RunControl, 'free' | 'fail' | 'holdBack'>,
  ) {
    this.#client = client;
    this.#limit = limit;
    this.#isOfFlow = isOfFlow;
    this.#quoteId = quoteId;
    this.#quoteCount = sent;
    this.#run = run;
    this.#before = client.stats().requests;
  }

  /** Why a run stops at it. */
  get because(): string {
    if (this.usedUpQuote !== undefined) return `the quote ${this.usedUpQuote} is used up`;
    return this.#isOfFlow && this.isSpent
      ? `the flow's budget of ${countOf(this.#limit, 'request')} is used up`
      : 'the budget of maxRequests is used up';
  }

  /** The quote, if it is used up. */
  get usedUpQuote(): string | undefined {
    return this.isSpent ? this.#quoteId : undefined;
  }

  event(event: ClientEvent): void {
    if (event.type === 'request') {
      // It was admitted before the budget was used up, and then had to wait for a ledger or a key.
      if (this.isSpent && event.walk !== undefined) return this.#run.holdBack(event.walk);
      this.#count += 1;
      this.#countForQuote((quoteCount) => quoteCount.add());
      this.#inFlight.add(event.id);
      if (this.#count === this.#limit) this.#run.free();
    } else if (event.type === 'response' || event.type === 'pending' || event.type === 'retry' || event.type === 'failure') {
      this.#inFlight.delete(event.id);
      // Not at once: the caller doesn't have the response yet, and the client may still uncount an attempt that wasn't sent.
      if (this.isSpent) queueMicrotask(() => this.#recount());
    }
  }

  get isSpent(): boolean {
    return this.#count >= this.#limit;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Requests since the last call. Minus requests that an earlier call counted and that were not sent in the end. */
  takeSpent(): number {
    this.#takeBack();
    const spent = this.#count - this.#taken;
    this.#taken += spent;
    return spent;
  }

  /** Changes the count on disk. If that fails, the run fails, so that nothing is sent uncounted. */
  #countForQuote(change: (quoteCount: SentCount) => void): void {
    try {
      if (this.#quoteCount !== undefined) change(this.#quoteCount);
    } catch (error) {
      this.#run.fail(error);
    }
  }

  #recount(): void {
    this.#takeBack();
    this.#run.free(); // an attempt that ended before it was sent is no longer counted
  }

  /** Takes back the count of attempts that ended before they were sent. */
  #takeBack(): void {
    const sent = Math.min(this.#count, this.#client.stats().requests - this.#before);
    if (sent < this.#count) this.#countForQuote((quoteCount) => quoteCount.takeBack(this.#count - sent));
    this.#count = sent;
  }
}

const oneByte = Buffer.alloc(1, '.');

/**
 * Counts the requests within a quote, for all runs of a folder. It is a file with a byte for each request, which is written before the
 * request is sent. So requests in flight count even if the process is killed.
 */
export class SentCount {
  count: number;
  readonly #file: OpenFile;

  /** `known`: the count of the journal. */
  constructor(folder: FlowFolder, quoteId: string, known: number) {
    const name = join(ownFolder, `sent-${quoteId}`);
    this.#file = folder.fileSystem.open(folder.at(name), 'a', modeOf(name));
    this.count = this.#file.size();
    if (this.count < known) writeAllSync(this.#file, Buffer.alloc(known - this.count, '.'), this.count);
    this.count = Math.max(this.count, known);
  }

  add(): void {
    writeAllSync(this.#file, oneByte, this.count);
    this.count += 1;
  }

  /** Takes back requests that were not sent after all. */
  takeBack(requests: number): void {
    this.count -= requests;
    this.#file.truncate(this.count);
  }

  close(): void {
    this.#file.close();
  }
}
