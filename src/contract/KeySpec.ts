/** How the API key goes along with a request. */
export type KeySpec = HeaderKey | ParamKey | BasicKey | OAuth2Key | SigningKey;

export interface HeaderKey {
  /** The header that has the key. */
  readonly header: string;
  /** The header's value. One that is asynchronous is made once, and once more after a 401. @default the key itself */
  readonly value?: ((key: string) => string | Promise<string>) | undefined;
}

/** The key is a parameter in the address, also in that of a next page. No address that trawler keeps or shows has it. */
export interface ParamKey {
  /** The parameter of the address that has the key. */
  readonly param: string;
}

/** HTTP Basic. The key is `user:password`, or the user alone. */
export interface BasicKey {
  /** The header `authorization` has the key as HTTP Basic: `user:password`, or the user alone. */
  readonly basic: true;
}

/**
 * OAuth 2. The key is `id:secret` of the application, or the id alone. An access token is requested with it, before the first
 * request, before the token expires, and once after a 401.
 */
export interface OAuth2Key {
  /** How access tokens are requested. The key is `id:secret` of the application, or the id alone. */
  readonly oauth2: OAuth2Spec;
}

export interface OAuth2Spec {
  /** Where tokens are requested: a path at the origin of `baseUrl`, or an address on any host. */
  readonly address: string;
  /** How a token is granted. `password` needs `user` and `password` of the client, too. */
  readonly grant: (typeof grants)[number];
  /** How id and secret are sent: as HTTP Basic, or in the body. @default 'basic' */
  readonly send?: (typeof sendings)[number] | undefined;
  /** What the token may do, in the words of the service. @default what the service gives */
  readonly scope?: string | undefined;
  /** The file with the refresh token. One that the service sends in its place is written there. Only of `refresh_token`. */
  readonly file?: string | undefined;
}

export const grants = ['client_credentials', 'refresh_token', 'password'] as const;
export const sendings = ['basic', 'body'] as const;

/** The key signs each request: each attempt, so that a signature may contain the time. */
export interface SigningKey {
  /** Makes headers for a request that is about to be sent. They take the place of headers of the same name. */
  readonly sign: (request: UnsignedRequest, key: string) => SignedHeaders | Promise<SignedHeaders>;
}

/** A request as it will be sent. */
export interface UnsignedRequest {
  readonly method: string;
  /** The whole address, with its query. */
  readonly url: string;
  /** By name in lower case. `host`, `connection` and `content-length` are added later. */
  readonly headers: SignedHeaders;
  /** undefined for a request without a body. */
  readonly body: string | undefined;
}

export interface SignedHeaders {
  readonly [name: string]: string;
}

/** The header that every request has the key in, in lower case. undefined if none has it, or only `sign` knows which. */
export function keyHeader(key: KeySpec | undefined): string | undefined {
  if (key === undefined || 'param' in key || 'sign' in key) return undefined;
  return 'header' in key ? key.header.toLowerCase() : 'authorization';
}
