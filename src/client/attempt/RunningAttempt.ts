import type { Lazy } from '../../../operators/LazyRow.ts';
import type { Operation, StoredResponse } from '../../contract/index.ts';
import type { RateLimitReport } from '../rate/Pace.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

/** A response as it arrived, and the address that it came from. */
export interface RawResponse extends StoredResponse {
  readonly url: string;
}

/** Hears of an attempt. Of `came` and `failed` exactly one is called, once, and none after `abort`. */
export interface AttemptOwner {
  /** The request is complete and goes out now. It may be aborted here. */
  sending(): void;
  /** The headers of a response state a limit. What came of the attempt follows. */
  told(report: RateLimitReport): void;
  /**
   * The body of a good response is complete, but isn't read yet. True: another request took its place, so this body is
   * read only after the other responses that are here have been received.
   */
  arrived(): boolean;
  /** A good response with data; `bytes` is the size of its body, decompressed. `raw`: the response as it arrived, if the request says `keep`. */
  came(response: Payload, bytes: number, raw?: RawResponse): void;
  failed(failure: AttemptFailure): void;
}

/** What an attempt requests. */
export interface AttemptRequest {
  readonly operation: Operation;
  readonly query: object;
  /** Another list of the response as rows. */
  readonly rows?: string | undefined;
  /** A list that is missing is an empty one. */
  readonly missing?: 'empty' | undefined;
  /** Rows may stay unparsed. */
  readonly lazy?: Lazy | undefined;
  /** The response is wanted as it arrived, too. */
  readonly keep?: boolean | undefined;
  /** The headers of a conditional request, names and values. */
  readonly condition?: readonly string[] | undefined;
  /** Its label, such as the stage of a flow. */
  readonly label: string | undefined;
  /** The path of the job whose response is wanted. undefined: nothing has started it. */
  readonly poll?: string | undefined;
  /** No response that another process got before will do. */
  readonly renews?: boolean | undefined;
  /** Counts the attempts of one call, from 1. */
  readonly number: number;
}

/** An attempt as the call sees it. The call doesn't know which process sends the request. */
export interface RunningAttempt {
  /** When the request started, on the client's clock. */
  readonly startedAt: number;
  send(): void;
  /** Cancels it. Its owner gets no result. Returns whether the request was sent. */
  abort(): boolean;
}
