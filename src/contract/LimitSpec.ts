/** A limit of the service that is known: so many requests in a time, or what a header or the body tells of it. */
export type LimitSpec = KnownLimit | BucketLimit | ToldHeaders | ToldInBody;

/** So many requests in a time. They are sent evenly. */
export interface KnownLimit {
  /** So many requests … */
  readonly requests: number;
  /** … in so many milliseconds. */
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
 * The headers that say how many requests remain, and when the count begins again: in so many seconds, or at a time. Without `reset`,
 * what remains comes back by and by, as in a moving window.
 */
export interface ToldHeaders {
  /** The header that says how many requests remain. */
  readonly remaining: string;
  /** The header that says when the count begins again: in so many seconds, or at a time. */
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
  /** When the count begins again: in so many seconds, or at a time. */
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
