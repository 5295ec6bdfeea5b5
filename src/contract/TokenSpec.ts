import type { QueryValue } from './Param.ts';

/**
 * How to request the token that `${token}` in the texts of a service stands for. It is requested before the first request, before it
 * expires, and once after a 401. Texts of this request may have `${key}`, `${basic}`, `${secret.name}` and `${refresh}`.
 */
export interface TokenSpec {
  /** Where to request it with a GET: a path at the origin of `baseUrl`, or an address on any host. Either `get` or `post`. */
  readonly get?: string | undefined;
  /** The same for a POST. */
  readonly post?: string | undefined;
  /** Fields of the address, after the path. @default none */
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
   * How long the token is valid, in seconds, or the path of that in the response, which may also have the time when it expires.
   * @default until it is refused
   */
  readonly expires?: number | string | undefined;
  /** The refresh token, for `${refresh}`. @default there is none */
  readonly refresh?: RefreshSpec | undefined;
}

export interface RefreshSpec {
  /** The file with the refresh token. If the service sends a new one, it is written there. */
  readonly file: string;
  /** The path of a new refresh token in the response. @default it stays the same */
  readonly at?: string | undefined;
}
