/** Which response is meant. */
export interface StoreRequest {
  /** The name of the service. */
  readonly service: string;
  readonly operation: string;
  /** The query in its one form (`canonicalQuery`). */
  readonly query: string;
  /** Where the request goes; '' where nothing would be sent. Never holds a key. */
  readonly url: string;
}

/** A response as it came: nothing is decoded. */
export interface StoredResponse {
  readonly status: number;
  /** By name in small letters. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Buffer;
}

/** The text that a response is found by. */
export function storeKey({ service, operation, query }: Pick<StoreRequest, 'service' | 'operation' | 'query'>): string {
  return `${service}/${operation}?${query}`;
}
