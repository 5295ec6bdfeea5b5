/** Refuses addresses where the key would be readable on its way. */
export function checkScheme(option: string, url: URL, allowInsecureHttp: boolean): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw addressError(option, `has the scheme ${url.protocol}; it must be https:`);
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw addressError(option, `is http on ${url.hostname}, where the key would travel in the clear; use https, or allowInsecureHttp`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The error of an address that can't be used. */
export function addressError(option: string, why: string): RangeError {
  return new RangeError(`createClient: ${option} ${why}`);
}
