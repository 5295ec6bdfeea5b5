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
