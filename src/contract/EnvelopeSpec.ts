import type { SearchEnvelope } from './SearchWords.ts';

/** Where the parts of a response are: dotted paths in the JSON body. */
export interface EnvelopeSpec extends SearchEnvelope {
  /** The data. @default the whole body */
  readonly data?: string | undefined;
  /** A code in the body, and its value for success. Any other value is an error, whatever the HTTP status. */
  readonly code?: EnvelopeCode | undefined;
  /**
   * A field that says that the request failed: it is there, and not null, false, 0 or empty. Its text is the error message, unless
   * `message` has one.
   */
  readonly error?: string | undefined;
  /** The service's error message. */
  readonly message?: string | undefined;
}

export interface EnvelopeCode {
  /** The dotted path of the code. */
  readonly at: string;
  /** The code of a response that didn't fail. */
  readonly is: number | string | boolean;
}

type JobValue = string | number | boolean;

/** A job that takes longer than a request: the first response names an address, which is requested until the rows are there. */
export interface JobSpec {
  /** The dotted path of the address in the body of the first response. @default its header `location` */
  readonly at?: string;
  /**
   * If the body has only an id at `at`: the path of the address, after that of the service. Such as `/tasks/${id}`.
   * @default the body has the address
   */
  readonly get?: `/${string}`;
  /** Where the body has the state of the job, and the values that mean that it is done. @default done when the status isn't 202 */
  readonly until?: JobState;
  /** The time between two requests, unless the service says how long to wait. @default 2000 */
  readonly everyMs?: number;
}

export interface JobState {
  /** The dotted path of the state. */
  readonly at: string;
  /** The values that mean that the job is done. */
  readonly is: readonly JobValue[];
}

export const usualJob = { status: 202, everyMs: 2000, maxMs: 3_600_000 } as const;

/** A limit of the service: a number of requests in a time, or where its responses state it. */
export type LimitSpec = KnownLimit | ReportedLimit;

/** A number of requests in a time. They are sent evenly. */
export interface KnownLimit {
  /** How many requests may be sent in `perMs`. */
  readonly requests: number;
  /** The time in milliseconds. */
  readonly perMs: number;
}

/** Where responses say how many requests remain. Without `reset`, the service frees them one by one, as in a moving window. */
export interface ReportedLimit {
  /** The header that says how many requests remain. With `at`: the path of that number in the object. */
  readonly remaining: string;
  /** The header that says when the count starts again, as a number of seconds or a time. With `at`: its path in the object. */
  readonly reset?: string;
  /** The path of an object in the whole body that states the limit. @default headers state it */
  readonly at?: string;
}

/** The default key of the sandbox. No ledger books its requests. */
export const sandboxKey = 'sandbox-key';
