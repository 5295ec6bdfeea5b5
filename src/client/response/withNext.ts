import { pagingRequestOf, type Operation } from '../../contract/index.ts';
import { withinOrigin } from '../attempt/nextPath.ts';
import type { Payload } from './parseResponse.ts';

/**
 * Adds the token or the address of the next page to the payload, if a header gives it. `url`: the address of the response. An
 * address of the same origin is reduced to its path. `clean` takes the key out of it.
 */
export function withNext(
  operation: Operation,
  payload: Payload,
  headers: { readonly [name: string]: string | readonly string[] | undefined },
  url: string,
  clean: (link: string) => string = (link) => link,
): Payload {
  const { paging } = operation.spec;
  const name = pagingRequestOf(paging).fromHeader;
  const header = name === undefined ? undefined : headers[name];
  if (header === undefined) return payload;
  if (name !== 'link') return { ...payload, next: clean([header].flat().join(', ')) };
  const link = nextLink(header);
  return link === undefined ? payload : { ...payload, next: clean(withinOrigin(link, url) ?? link) };
}

/** The address of `rel="next"` in a `Link` header, or undefined. */
function nextLink(header: string | readonly string[]): string | undefined {
  const text = [header].flat().join(', ');
  for (const [, address, params] of text.matchAll(/<([^>]*)>((?:\s*;\s*[\w*-]+\s*(?:=\s*(?:"[^"]*"|[^\s",;]+))?)*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(params!);
    if ((rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/).includes('next')) return address;
  }
  return undefined;
}
