/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^(?:127\.\d+\.\d+\.\d+|::1|\[::1\])$/.test(host);
}

const address = /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/;
/** What a container calls the machine that it runs on. */
const fromContainer = /^host\.(?:docker|containers)\.internal$/;

/**
 * Whether a Host header names the server that listens on `host`. A foreign name that resolves to it (DNS rebinding) doesn't. If other
 * machines may connect, its address does, and what a container calls it.
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
