import type { QueryValue } from './Param.ts';

/**
 * How a token is requested, which stands where a text of the service has `${token}`. It is requested before the first request, before
 * it expires, and once after a 401. Its own texts may have `${key}`, `${basic}`, `${secret.name}` and `${refresh}`.
 */
export interface TokenSpec {
  /** Where tokens are requested: a path at the origin of `baseUrl`, or an address on any host. One of the two is there. */
  readonly get?: string | undefined;
  /** The same for a POST. */
  readonly post?: string | undefined;
  /** What the address has behind the path. @default nothing */
  readonly query?: { readonly [field: string]: QueryValue } | undefined;
  /** Headers of the request. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The body as JSON. @default none */
  readonly body?: { readonly [field: string]: unknown } | undefined;
  /** The body as a form. @default none */
  readonly form?: { readonly [field: string]: QueryValue } | undefined;
  /** Where the response has the token: a dotted path, '' if the body is the token, or a header: `header:x-token`. */
  readonly at: string;
  /**
   * How long the token is valid, in seconds, or where the response says that. It may also say there until when.
   * @default until it is refused
   */
  readonly expires?: number | string | undefined;
  /** The refresh token, for `${refresh}`. @default there is none */
  readonly refresh?: RefreshSpec | undefined;
}

export interface RefreshSpec {
  /** The file with the refresh token. One that the service sends in its place is written there. */
  readonly file: string;
  /** Where the response may have another one. @default it stays the same */
  readonly at?: string | undefined;
}
