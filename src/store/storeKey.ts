import type { StoreRequest } from '../contract/index.ts';

/** The text that a response is found by. */
export function storeKey({ service, operation, query }: StoreRequest): string {
  return `${service}/${operation}?${query}`;
}
