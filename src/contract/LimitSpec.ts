/** A limit of the service that is known: so many requests in a time, a bucket that a header tells of, or headers by other names. */
export type LimitSpec = KnownLimit | BucketLimit | ToldHeaders;

/** So many requests in a time. They are sent evenly. */
export interface KnownLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** A bucket that empties steadily. A header says how full it is: `32/40`. */
export interface BucketLimit {
  readonly header: string;
  readonly form: (typeof bucketForms)[number];
  /** How much comes back in a second. */
  readonly perSecond: number;
}
export const bucketForms = ['used/size', 'remaining/size'] as const;

/** The headers that say how many requests remain, and when the count begins again: in so many seconds, or at a time. */
export interface ToldHeaders {
  readonly remaining: string;
  readonly reset: string;
}
