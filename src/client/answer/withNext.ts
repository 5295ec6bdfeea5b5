import type { Operation } from '../../contract/index.ts';
import { nextLink } from './nextLink.ts';
import type { Payload } from './parseAnswer.ts';

/**
 * The payload with the address of the next page, where that is in a header. `url`: where the response came from; an address
 * of the same origin becomes its path alone.
 */
export function withNext(operation: Operation, payload: Payload, header: string | readonly string[] | undefined, url: string): Payload {
  const { paging } = operation.spec;
  const link = paging.kind === 'cursor' && paging.link === true ? nextLink(header) : undefined;
  return link === undefined ? payload : { ...payload, next: withinOrigin(link, url) ?? link };
}

/** An address as a path with its query, if it stays at the origin of `url`, to which it may be relative. */
export function withinOrigin(address: string, url: string): string | undefined {
  const next = URL.canParse(address, url) ? new URL(address, url) : undefined;
  return next !== undefined && next.origin === new URL(url).origin ? next.pathname + next.search : undefined;
}
