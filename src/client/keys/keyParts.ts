/** The parts of a key such as `user:password` or `id:secret`, and the header that HTTP Basic makes of it. */
export function keyParts(key: string): { readonly id: string; readonly secret: string | undefined; readonly basic: string } {
  const colon = key.indexOf(':');
  const basic = Buffer.from(colon < 0 ? `${key}:` : key).toString('base64');
  return colon < 0 ? { id: key, secret: undefined, basic } : { id: key.slice(0, colon), secret: key.slice(colon + 1), basic };
}
