/** Where the parts of a response are: dotted paths in the JSON body. */
export interface EnvelopeSpec {
  /** The data. @default the whole body */
  readonly data?: string | undefined;
  /** A code in the body, and its value for success. Any other value is an error, whatever the HTTP status. */
  readonly code?: EnvelopeCode | undefined;
  /** What is there, and not null, false, 0 or empty, if the request failed. Its own words are the message, if `message` has none. */
  readonly error?: string | undefined;
  /** The service's error message. */
  readonly message?: string | undefined;
  /** The service's name for the request. Errors and events have it, for its support. */
  readonly requestId?: string | undefined;
  /** When the service responded, in milliseconds since 1970. */
  readonly timestamp?: string | undefined;
}

export interface EnvelopeCode {
  /** Where the code is. */
  readonly at: string;
  /** The code of a response that didn't fail. */
  readonly good: number | string | boolean;
}

/** A value that says what state a job is in. */
type JobValue = string | number | boolean;

/** Work that takes longer than a request: the first response names an address, which is requested until the rows are there. */
export interface JobSpec {
  /** The status of a response while the job isn't done. @default 202 */
  readonly status?: number;
  /** Where in the body of the first response the address is, as a dotted path. @default its header `location` */
  readonly at?: string;
  /** Where in the body its state is, and the values that mean that it is done, or has failed. @default done when the status is another one */
  readonly until?: JobState;
  /** The time between two requests, unless the service says how long to wait. @default 2000 */
  readonly everyMs?: number;
  /** The longest time until it is done. @default 600_000 */
  readonly maxMs?: number;
}

export interface JobState {
  /** Where the state is. */
  readonly at: string;
  /** The job is done, and its rows are there. */
  readonly is: readonly JobValue[];
  /** It has failed, and so has the query. @default none of its states */
  readonly failed?: readonly JobValue[];
}

export const usualJob = { status: 202, everyMs: 2000, maxMs: 600_000 } as const;

/** A known limit of the service: a number of requests in a time, or what a header or the body tells of it. */
export type LimitSpec = KnownLimit | BucketLimit | ToldHeaders | ToldInBody;

/** A number of requests in a time. They are sent evenly. */
export interface KnownLimit {
  /** This many requests … */
  readonly requests: number;
  /** … in this many milliseconds. */
  readonly perMs: number;
}

/** A bucket that empties steadily. A header, or a text in the body, says how full it is: `32/40`. */
export interface BucketLimit {
  /** The header that says how full the bucket is. */
  readonly header?: string;
  /** Where it is in the whole body, in place of a header. */
  readonly at?: string;
  /** What its two numbers say: what is used, or what remains, of the size. */
  readonly form: (typeof bucketForms)[number];
  /** How much comes back in a second. */
  readonly perSecond: number;
}
export const bucketForms = ['used/size', 'remaining/size'] as const;

/**
 * The headers that say how many requests remain, and when the count begins again: in some seconds, or at a time. Without `reset`,
 * what remains comes back by and by, as in a moving window.
 */
export interface ToldHeaders {
  /** The header that says how many requests remain. */
  readonly remaining: string;
  /** The header that says when the count begins again: in some seconds, or at a time. */
  readonly reset?: string;
}

/** An object in the body that tells of the limit. What the other fields name is in that object, as dotted paths. */
export interface ToldInBody {
  /** Where the object is in the whole body. */
  readonly at: string;
  /** How much remains. */
  readonly remaining?: string;
  /** How much is used of `size`, if it doesn't say what remains. */
  readonly used?: string;
  /** The size of a bucket that empties steadily. */
  readonly size?: string;
  /** How much of the bucket comes back in a second: where it says so, or the number. */
  readonly perSecond?: string | number;
  /** When the count begins again: in some seconds, or at a time. */
  readonly reset?: string;
  /** What a request of this operation takes. It counts for the next ones. @default the operation's `cost` */
  readonly cost?: string;
}

/** What is wrong between the fields of a limit, as words that follow its path. undefined: nothing. */
export function limitFault(limit: LimitSpec): string | undefined {
  if ('form' in limit)
    return (limit.header === undefined) === (limit.at === undefined) ? ' must have either a header or a path in the body (at)' : undefined;
  if (!('at' in limit)) return undefined;
  const { remaining, used, size, perSecond, reset } = limit;
  if ((remaining === undefined) === (used === undefined)) return ' must name either what is remaining or what is used';
  if (used !== undefined && size === undefined) return '.used needs size, which it is a part of';
  if (perSecond !== undefined && size === undefined) return '.perSecond needs size: that of the bucket';
  return perSecond !== undefined && reset !== undefined
    ? ' has reset and perSecond; a count that begins again needs only reset'
    : undefined;
}

/** The key of the sandbox, unless it gets another one. Nothing is booked for it. */
export const sandboxKey = 'sandbox-key';
