import type { SearchEnvelope } from './SearchWords.ts';

/** Where the parts of a response are: dotted paths in the JSON body. */
export interface EnvelopeSpec extends SearchEnvelope {
  /** The data. @default the whole body */
  readonly data?: string | undefined;
  /** A code in the body, and its value for success. Any other value is an error, whatever the HTTP status. */
  readonly code?: EnvelopeCode | undefined;
  /** What is there, and not null, false, 0 or empty, if the request failed. Its own words are the message, if `message` has none. */
  readonly error?: string | undefined;
  /** The service's error message. */
  readonly message?: string | undefined;
}

export interface EnvelopeCode {
  /** Where the code is. */
  readonly at: string;
  /** The code of a response that didn't fail. */
  readonly is: number | string | boolean;
}

/** A value that says what state a job is in. */
type JobValue = string | number | boolean;

/** Work that takes longer than a request: the first response names an address, which is requested until the rows are there. */
export interface JobSpec {
  /** Where in the body of the first response the address is, as a dotted path. @default its header `location` */
  readonly at?: string;
  /**
   * The path of that address, where the body only has an id at `at`: `/tasks/${id}`, after that of the service.
   * @default it has the address
   */
  readonly get?: `/${string}`;
  /** Where in the body its state is, and the values that mean that it is done. @default done when the status isn't 202 */
  readonly until?: JobState;
  /** The time between two requests, unless the service says how long to wait. @default 2000 */
  readonly everyMs?: number;
}

export interface JobState {
  /** Where the state is. */
  readonly at: string;
  /** The job is done, and its rows are there. */
  readonly is: readonly JobValue[];
}

export const usualJob = { status: 202, everyMs: 2000, maxMs: 3_600_000 } as const;

/** A known limit of the service: a number of requests in a time, or what headers or the body tell of it. */
export type LimitSpec = KnownLimit | ToldLimit;

/** A number of requests in a time. They are sent evenly. */
export interface KnownLimit {
  /** This many requests … */
  readonly requests: number;
  /** … in this many milliseconds. */
  readonly perMs: number;
}

/**
 * The headers that say how many requests remain, and when the count begins again: in some seconds, or at a time. Without `reset`,
 * what remains comes back by and by, as in a moving window.
 */
export interface ToldLimit {
  /** The header that says how many requests remain. With `at`: its place in the object. */
  readonly remaining: string;
  /** The header that says when the count begins again: in some seconds, or at a time. With `at`: its place in the object. */
  readonly reset?: string;
  /** Where the whole body has an object that tells of the limit. @default headers tell of it */
  readonly at?: string;
}

/** The key of the sandbox, unless it gets another one. Nothing is booked for it. */
export const sandboxKey = 'sandbox-key';
