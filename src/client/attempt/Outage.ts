import { failureKinds } from '../../errors/TrawlerError.ts';
import type { EventHub } from '../events/clientEvents.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

const minFailures = 3; // one or two failures in a row are common

/**
 * Watches for an outage: requests fail for reasons that may pass, and none gets through. It is too long when a request fails
 * after `outageMs` of that. Tells listeners when it begins, has lasted too long, and is over.
 */
export class Outage {
  readonly #settings: Pick<Settings, 'clock' | 'outageMs'>;
  readonly #events: EventHub;
  /** `failing`: too few failures to call it an outage. */
  #state: 'none' | 'failing' | 'begun' | 'tooLong' = 'none';
  #since = 0;
  #failures = 0;
  /** The first query that failed, and whether others did too. */
  #query = '';
  #several = false;

  constructor(settings: Pick<Settings, 'clock' | 'outageMs'>, events: EventHub) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Something has failed since the last success. */
  get isOn(): boolean {
    return this.#state !== 'none';
  }

  /** For how long nothing has got through, if that is too long, so that nobody should wait for its end. */
  get tooLongMs(): number | undefined {
    return this.#state === 'tooLong' ? this.#settings.clock.now() - this.#since : undefined;
  }

  /** Takes the outcome of an attempt. `failure`: undefined for a page. One that won't pass says that the service works. */
  heed({ operation, query }: { readonly operation: string; readonly query: object }, failure?: AttemptFailure): void {
    const { clock } = this.#settings;
    const before = this.#state;
    const now = clock.now();
    const lastedMs = this.isOn ? now - this.#since : 0;
    const kind = failure && failureKinds[failure.kind];
    if (kind?.passes !== true) this.#state = 'none';
    else this.#failed(now, kind.pace === 'refused' || kind.pace === 'nothing', `${operation} ${JSON.stringify(query)}`);
    const isOver = this.#state === 'none' && before !== 'failing';
    const state = isOver ? 'over' : this.#state;
    if (this.#state === before || state === 'none' || state === 'failing' || !this.#events.on) return;
    this.#events.emit({ type: 'outage', operation, query, at: clock.wall(), state, lastedMs });
  }

  /** Nobody waits any more, so nothing is known of the service from now on. */
  forget(): void {
    this.#state = 'none';
  }

  /**
   * A failure may pass. One query alone says little of the others, so there is no outage before a second one fails.
   * `refused`: by the limit on the rate. Such refusals alone are no outage until they last too long.
   */
  #failed(now: number, refused: boolean, query: string): void {
    if (this.#state === 'none') {
      this.#state = 'failing';
      this.#since = now;
      this.#failures = 0;
      this.#query = query;
      this.#several = false;
    }
    if (!refused) this.#failures++;
    if (query !== this.#query) this.#several = true;
    if (now - this.#since >= this.#settings.outageMs) this.#state = 'tooLong';
    else if (this.#state === 'failing' && this.#failures >= minFailures && this.#several) this.#state = 'begun';
  }
}
