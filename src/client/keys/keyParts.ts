import type { Proof } from './Credential.ts';

/** What HTTP Basic of OAuth 2 sends: both parts are encoded as in a form first (RFC 6749, 2.3.1). */
export function oauthBasic(id: string, secret = ''): string {
  const encoded = [id, secret].map((part) => new URLSearchParams([['', part]]).toString().slice(1));
  return Buffer.from(encoded.join(':')).toString('base64');
}

/** The parts of a key such as `user:password` or `id:secret`, and the header that HTTP Basic makes of it. */
export function keyParts(key: string): { readonly id: string; readonly secret: string | undefined; readonly basic: string } {
  const colon = key.indexOf(':');
  const basic = Buffer.from(colon < 0 ? `${key}:` : key).toString('base64');
  return colon < 0 ? { id: key, secret: undefined, basic } : { id: key.slice(0, colon), secret: key.slice(colon + 1), basic };
}

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
