/** Stores responses, so that each is paid for once. A client looks here before it sends a request. */
export interface ResponseStore {
  /**
   * `'reuse'`: take what is stored, request the rest and store it. `'record'`: request everything and store it.
   * `'replay'`: never send a request.
   */
  readonly mode: 'reuse' | 'record' | 'replay';
  /** Its folder, for messages. */
  readonly folder: string;
  /** Why nothing more can be stored. */
  readonly failure: Error | undefined;
  find(request: StoreRequest): Finding;
  keep(request: StoreRequest, response: StoredResponse): void;
  /** Messages about what happened to the store since the last call. */
  takeNotices?(): readonly string[];
  /** Resolves when everything stored is safe on disk. */
  sync(): Promise<void>;
}

/** Identifies a response. */
export interface StoreRequest {
  /** The name of the service. */
  readonly service: string;
  readonly operation: string;
  /** The query in its canonical form, from `canonicalQuery`. */
  readonly query: string;
  /**
   * The address of the request, without a key. To find a response only its origin is needed. Responses from this machine (a sandbox) are
   * found only for an address on it, others only for other addresses. For '' both are found.
   */
  readonly url: string;
}

/** A response as it arrived, not decoded. */
export interface StoredResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Buffer;
}

/** Headers that describe the connection, not the request or the response. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding'],
  ...['upgrade', 'http2-settings'],
]);

/** The stored response to a request, if any. `damage`: the location of a damaged one. */
export type Finding = StoreHit | { readonly kind: 'miss'; readonly damage?: string };

interface StoreHit {
  readonly kind: 'hit';
  readonly response: StoredResponse;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The address that it came from. */
  readonly url: string;
  readonly damage?: string;
}
