import type { Proof } from './Credential.ts';

/** A path without the parameters that keys have, such as a service puts into the address of a next page. */
export function addressWithoutKeys(path: string, names: readonly string[]): string {
  const at = path.indexOf('?');
  if (at < 0) return path;
  const others = path
    .slice(at + 1)
    .split('&')
    .filter((pair) => !names.some((name) => new URLSearchParams(pair).has(name)));
  return others.length === 0 ? path.slice(0, at) : `${path.slice(0, at)}?${others.join('&')}`;
}

/** A path as it is sent. Only the request itself has it. */
export function addressWithKey(path: string, { pairs }: Proof): string {
  return pairs === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${pairs}`;
}
