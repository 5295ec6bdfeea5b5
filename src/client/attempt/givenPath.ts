import { addressWithoutKey } from '../keys/addressWithKey.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { nextPath } from './nextPath.ts';

/** The path of an address that the service gave, without the key. It may be relative to `url`. Undefined if it is outside of the service. */
export function givenPath(given: string, url: string, { address, service }: Settings): string | undefined {
  const path = nextPath(given, url, { prefix: address.prefix, more: service.nextPaths ?? [] });
  const { key } = service;
  return path !== undefined && key !== undefined && 'param' in key ? addressWithoutKey(path, key.param) : path;
}

/** An address of the service leads elsewhere. `of`: what is there. */
export function outside(of: string, { address }: Settings): AttemptFailure {
  const inside = address.prefix === '' ? 'at its own origin' : `below ${address.prefix} at its own origin`;
  const what = `the address of ${of} points outside of the service, which is ${inside}. The key would be sent there`;
  return { kind: 'final', error: 'PaginationError', what };
}
