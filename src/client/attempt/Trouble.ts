import { failureKinds } from '../../errors/TrawlerError.ts';
import type { EventHub } from '../events/clientEvents.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

/** The call that an attempt was for. */
interface OfCall {
  readonly operation: string;
  readonly query: object;
}

const minFailures = 3; // one or two failures in a row are common
const fullQuota = 500;
const firstPauseMs = 500;
const maxPauseMs = 30_000;
const manyOfTen = 5; // with 3 of 6, chance slowed 900 requests a second down to 70 where 5 % failed
const lastTen = 0b1111111111;
const firstRun = 20;
const mostForbidden = 10;

/**
 * How bad it is: what a client knows of its failed attempts. Is it an outage: do requests fail, for reasons that may pass, and none gets
 * through? May more be retried? Do failures other than a 429 mean overload? And is a 403 about the key?
 */
export class Trouble {
  readonly #settings: Pick<Settings, 'clock' | 'outageMs'>;
  readonly #events: EventHub;
  /** `failing`: too few failures to call it an outage. `tooLong`: a request failed after `outageMs` of it. */
  #outage: 'none' | 'failing' | 'begun' | 'tooLong' = 'none';
  #since = 0;
  #failures = 0;
  /** The first query that failed, and whether others did too. Before any page has come one is enough. */
  #query = '';
  #several = false;
  /** What is left for retries. A retry takes tokens, a page returns one, so that there is no storm when everything fails. */
  #tokens = fullQuota;
  #pauseMs = firstPauseMs;
  /** The last outcomes, one bit each. 1 is a failure. */
  #recent = 0;
  /** Pages since the last failure. undefined before the first sign of overload. */
  #run: number | undefined;
  /** The pages after which one failure is a sign. */
  #needed = firstRun;
  /** 403s since the last good response. undefined: nothing has come with the key yet. */
  #forbidden: number | undefined;
  #workingKey: string | undefined;
  /** The last response was good. */
  isKeyGood = false;

  constructor(settings: Pick<Settings, 'clock' | 'outageMs'>, events: EventHub) {
    this.#settings = settings;
    this.#events = events;
  }

  /** What is left for retries. */
  get tokens(): number {
    return this.#tokens;
  }

  /** For how long nothing has got through, if that is too long, so that nobody should wait for its end. */
  get tooLongMs(): number | undefined {
    return this.#outage === 'tooLong' ? this.#settings.clock.now() - this.#since : undefined;
  }

  /** A page came. */
  passed(call: OfCall): void {
    this.#pauseMs = firstPauseMs;
    if (this.#tokens < fullQuota) this.#tokens++;
    this.#recent = (this.#recent << 1) & lastTen;
    if (this.#run !== undefined) this.#run++;
    if (this.#outage !== 'none') this.#move('none', call);
  }

  /**
   * An attempt failed. One that won't pass says that the service works. One query alone says little of the others, so there is no outage
   * before a second one fails, unless nothing has come yet (`hasCome`). Refusals because of the rate alone are none until they last too
   * long.
   */
  failed(call: OfCall, failure: AttemptFailure, hasCome: boolean): void {
    const { passes, pace } = failureKinds[failure.kind];
    if (!passes) return this.#move('none', call);
    const now = this.#settings.clock.now();
    const query = `${call.operation} ${JSON.stringify(call.query)}`;
    if (this.#outage === 'none') {
      this.#outage = 'failing';
      this.#since = now;
      this.#failures = 0;
      this.#query = query;
      this.#several = !hasCome;
    }
    if (pace !== 'refused' && pace !== 'nothing') this.#failures++;
    if (query !== this.#query) this.#several = true;
    if (now - this.#since >= this.#settings.outageMs) this.#move('tooLong', call, failure);
    else if (this.#outage === 'failing' && this.#failures >= minFailures && this.#several) this.#move('begun', call, failure);
  }

  /** A retry takes tokens. */
  take(tokens: number): void {
    this.#tokens -= tokens;
  }

  /** How long to send nothing when no tokens are left. Doubles each time, until a page arrives. */
  nextPauseMs(): number {
    const ms = this.#pauseMs;
    this.#pauseMs = Math.min(maxPauseMs, 2 * ms);
    return ms;
  }

  /**
   * Whether a failure other than a 429 means overload: half of the last ten attempts are 503s, broken connections or timeouts. One
   * now and then may mean anything. Once slowing down has helped, for 20 pages, a further failure counts alone; after that one it takes
   * twice as many pages, and so on: where slowing down helps, failures become rarer.
   */
  isOverload(): boolean {
    this.#recent = ((this.#recent << 1) | 1) & lastTen;
    const several = ones(this.#recent) >= manyOfTen;
    const alone = this.#run !== undefined && this.#run >= this.#needed;
    if (several) this.#needed = firstRun;
    else if (alone) this.#needed *= 2;
    if (several || this.#run !== undefined) this.#run = 0;
    return several || alone;
  }

  /** A digest of the key, once a good response has come with it. */
  get workingKey(): string | undefined {
    return this.#workingKey;
  }

  /** A good response came with the key of this digest, now or in an earlier run. */
  keyWorks(digest: string): void {
    this.#workingKey = digest;
    this.#forbidden = 0;
    this.isKeyGood = true;
  }

  /** The failure. A 403 is about its query, not the key, if the key has worked before. A 401 is always about the key. */
  judged(failure: AttemptFailure): AttemptFailure {
    const { kind, details: { status, code } = {} } = failure;
    const isForbidden = status === 403 || (status === 200 && String(code) === '403');
    if (isForbidden) this.isKeyGood = false;
    if (kind !== 'auth' || !isForbidden || this.#forbidden === undefined || ++this.#forbidden >= mostForbidden) return failure;
    const error = status === 403 ? 'HttpError' : 'EnvelopeError';
    return { ...failure, kind: 'final', error, advice: `the key is good for other queries; ${mostForbidden} in a row stop this client` };
  }

  /** Nobody waits any more, so nothing is known of an outage from now on. */
  forget(): void {
    this.#outage = 'none';
  }

  /** Tells listeners when an outage begins, has lasted too long, and is over. */
  #move(to: 'none' | 'begun' | 'tooLong', { operation, query }: OfCall, failure?: AttemptFailure): void {
    const from = this.#outage;
    this.#outage = to;
    if (from === to || (to === 'none' && from === 'failing') || !this.#events.on) return;
    const lastedMs = this.#settings.clock.now() - this.#since;
    const state = to === 'none' ? 'over' : to;
    const because = failure && becauseOf(failure);
    this.#events.emit({ type: 'outage', operation, query, at: this.#settings.clock.wall(), state, lastedMs, because });
  }
}

const ofSystem = /^[a-z]+ E[A-Z_]+( [\w.:[\]-]{1,100})?$/;

/** Why an attempt failed, in a few words that can hold no key: `connect ECONNREFUSED 127.0.0.1:18310`, `status 503`. */
function becauseOf({ kind, details, cause }: AttemptFailure): string {
  if (details?.status !== undefined) return `status ${details.status}`;
  if (cause !== undefined && ofSystem.test(cause.message)) return cause.message;
  return cause?.code ?? kind;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
