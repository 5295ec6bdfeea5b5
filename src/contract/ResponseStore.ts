/** Keeps responses, so that each is paid for once: what a client asks before it sends a request. */
export interface ResponseStore {
  /**
   * `'reuse'`: take what is stored, request the rest and store it. `'record'`: request everything and store it.
   * `'replay'`: never send a request.
   */
  readonly mode: 'reuse' | 'record' | 'replay';
  /** Where it is, for messages. */
  readonly folder: string;
  /** Why nothing can be stored any more. */
  readonly fault: Error | undefined;
  find(request: StoreRequest): Finding;
  /** Whether a response is there, without reading it. */
  has(request: StoreRequest): boolean;
  keep(request: StoreRequest, response: StoredResponse): void;
  /** Resolves when all that was stored is safe. */
  sync(): Promise<void>;
}

/** Which response is meant. */
export interface StoreRequest {
  /** The name of the service. */
  readonly service: string;
  readonly operation: string;
  /** The query in its one form (`canonicalQuery`). */
  readonly query: string;
  /** The address of the request; '' where none would be sent. It never holds a key. */
  readonly url: string;
}

/** A response as it came: nothing is decoded. */
export interface StoredResponse {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Buffer;
}

/** What a store has for a request. `damage`: where a response is that can't be given back as it was. */
export type Finding = StoreHit | { readonly kind: 'miss'; readonly damage?: string };

export interface StoreHit {
  readonly kind: 'hit';
  readonly response: StoredResponse;
  /** When it came; milliseconds since 1970. */
  readonly at: number;
  /** Where it came from. */
  readonly url: string;
  readonly damage?: string;
}
