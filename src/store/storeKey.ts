import type { StoreRequest } from '../contract/index.ts';

/** The key of a response. */
export function storeKey({ service, operation, query }: StoreRequest): string {
  return `${service}/${operation}?${query}`;
}
