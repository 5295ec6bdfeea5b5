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
