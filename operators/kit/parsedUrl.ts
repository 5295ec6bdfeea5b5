/**
 * The URL of a text. undefined: it is none. This does not use `URL.canParse`: after some thousand calls, that refuses any `ü` in Node 20
 * and 22.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** The path and parameters in the first line of a request. undefined: it has no valid path, as in `//`, `*`, `/%zz` or a whole URL. */
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

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^(?:127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

const address = /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/;
/** What a container calls the machine that it runs on. */
const fromContainer = /^host\.(?:docker|containers)\.internal$/;

/**
 * Whether a Host header names the server that listens on `host`. Another name that resolves to it is refused (DNS rebinding). If other
 * machines may connect, IP addresses and the names that containers use are accepted too.
 */
export function namesServer(header: string = '', host: string, isExposed = !isLoopback(host)): boolean {
  const name = header.replace(/:\d*$/, '').toLowerCase();
  return isLoopback(name) || (isExposed && (name === host.toLowerCase() || address.test(name) || fromContainer.test(name)));
}

/** The URL of a server. One that listens on all addresses is reached from this machine by its name. */
export function serverUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
