/** How an outage changed: it was noticed, it has lasted too long, or a request got through again. */
export type OutageChange = 'begun' | 'tooLong' | 'over';

const minFailures = 3; // one or two failures in a row are common

/**
 * Watches for an outage: requests fail for reasons that may pass, and none gets through. It is too long when a request fails
 * after `maxMs` of that.
 */
export class Outage {
  readonly #maxMs: number;
  /** `failing`: too few failures to call it an outage. */
  #state: 'none' | 'failing' | 'begun' | 'tooLong' = 'none';
  #since = 0;
  #failures = 0;
  /** The first query that failed, and whether others did too. */
  #query = '';
  #several = false;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Something has failed since the last success. */
  get isOn(): boolean {
    return this.#state !== 'none';
  }

  /** It has lasted too long, so nobody should wait for its end. */
  get isTooLong(): boolean {
    return this.#state === 'tooLong';
  }

  /** For how long nothing has got through. */
  lastedMs(now: number): number {
    return this.isOn ? now - this.#since : 0;
  }

  /**
   * Takes a failure that may pass. One query alone says little of the others, so there is no outage before a second one fails.
   * `refused`: by the limit on the rate. Such refusals alone are no outage until they last too long.
   */
  failed(now: number, refused: boolean, query: string): OutageChange | undefined {
    if (this.#state === 'none') {
      this.#state = 'failing';
      this.#since = now;
      this.#failures = 0;
      this.#query = query;
      this.#several = false;
    }
    if (!refused) this.#failures++;
    if (query !== this.#query) this.#several = true;
    if (this.#state === 'tooLong') return undefined;
    if (now - this.#since >= this.#maxMs) return (this.#state = 'tooLong');
    if (this.#state === 'begun' || this.#failures < minFailures || !this.#several) return undefined;
    return (this.#state = 'begun');
  }

  /** Nobody waits any more, so nothing is known of the service from now on. */
  forget(): void {
    this.#state = 'none';
  }

  /** Takes a response from a service that works. */
  succeeded(): OutageChange | undefined {
    const noticed = this.#state === 'begun' || this.#state === 'tooLong';
    this.#state = 'none';
    return noticed ? 'over' : undefined;
  }
}
