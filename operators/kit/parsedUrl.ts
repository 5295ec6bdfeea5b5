/**
 * An address, or undefined if it is none. Not `URL.canParse`: in Node 20 and 22 it refuses any `ü` once it was called some thousand
 * times.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Where a request wants to go, as its first line says it. undefined: that is no path, such as `//`, `*`, `/%zz` or a whole address. */
export function requestedAddress(target = ''): { readonly path: string; readonly params: URLSearchParams } | undefined {
  const [, path, search] = /^(\/(?!\/)[^?#]*)(?:\?([^#]*))?$/s.exec(target) ?? [];
  return path === undefined || !isEncoded(path) ? undefined : { path, params: new URLSearchParams(search) };
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
