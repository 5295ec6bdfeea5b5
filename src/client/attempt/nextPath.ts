import { parsedUrl } from '../../../operators/kit/parsedUrl.ts';
import { secretParams } from '../../contract/secrets.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

/**
 * The path and query of a next page. Undefined if it isn't at the origin of `url`, or not below `prefix`, the path of the client's own
 * requests up to the operation: the key goes along. The address may be relative to `url`. A path that climbs when a server decodes it once
 * more is outside, too.
 */
export function nextPath(address: string, url: string, prefix: string): string | undefined {
  const next = withinOrigin(address, url);
  if (next === undefined) return undefined;
  const [path] = next.split('?', 1) as [string];
  return isBelow(path, prefix) && !climbs(path) ? next : undefined;
}

/** An address as a path with its query, if it has the same origin as `url`. It may be relative to `url`. */
export function withinOrigin(address: string, url: string): string | undefined {
  const next = parsedUrl(address, url);
  return next !== undefined && next.origin === new URL(url).origin ? next.pathname + next.search : undefined;
}

function isBelow(path: string, begin: string): boolean {
  const folder = begin.endsWith('/') ? begin : `${begin}/`;
  return path === begin || path.startsWith(folder);
}

/**
 * Whether a part of the path, or of its parameters behind a `;`, is `..` once its dots, slashes and percent signs are decoded, as often
 * as it takes.
 */
function climbs(path: string): boolean {
  for (let text = path; ;) {
    if (text.split(/[/\\;]/).some((part) => part === '.' || part === '..')) return true;
    const decoded = text.replace(/%(25|2e|2f|3b|5c)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
    if (decoded === text) return false;
    text = decoded;
  }
}

/**
 * The path of an address that the service gave, without the key. It may be relative to `url`. Undefined if it is outside of the service.
 */
export function givenPath(given: string, url: string, { address, service }: Settings): string | undefined {
  const path = nextPath(given, url, address.prefix);
  const names = secretParams(service);
  return path === undefined || names.length === 0 ? path : withoutSecrets(path, names);
}

/** A path without the parameters that have secrets: of a caller, or of the service, which puts its own into the address of a next page. */
export function withoutSecrets(path: string, names: readonly string[]): string {
  const at = path.indexOf('?');
  if (at < 0) return path;
  const others = path
    .slice(at + 1)
    .split('&')
    .filter((pair) => !names.some((name) => new URLSearchParams(pair).has(name)));
  return others.length === 0 ? path.slice(0, at) : `${path.slice(0, at)}?${others.join('&')}`;
}

/** An address of the service leads elsewhere. `of`: what is there. */
export function outside(of: string, { address }: Settings): AttemptFailure {
  const inside = address.prefix === '' ? 'at its own origin' : `below ${address.prefix} at its own origin`;
  const what = `the address of ${of} points outside of the service, which is ${inside}. The key would be sent there`;
  return { kind: 'final', error: 'PaginationError', what };
}
