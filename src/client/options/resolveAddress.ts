import { TrawlerError } from '../../errors/index.ts';

/** The address of a service: an origin, and a prefix of each operation's path. */
export interface Address {
  readonly origin: string;
  /** Starts with a slash and doesn't end with one. Empty for none. */
  readonly prefix: string;
}

const plainSegment = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;

/**
 * Checks and normalizes the service's address. Every request carries the key, so nothing is guessed: https, or http on
 * loopback; no name and password, no query; and a prefix that can't leave its origin.
 */
export function resolveAddress(baseUrl: string | undefined, pathPrefix: string, allowInsecureHttp: boolean): Address {
  if (baseUrl === undefined || baseUrl === '') {
    throw new TrawlerError('createClient: baseUrl is missing; give it as an option or set TRAWLER_BASE_URL');
  }
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw refused('baseUrl', 'is not a URL; it looks like https://api.example.com');
  }
  if (url.username !== '' || url.password !== '') throw refused('baseUrl', 'contains a user name or a password; use apiKey instead');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refused('baseUrl', `has the scheme ${url.protocol}; it must be https:`);
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw refused('baseUrl', `is http on ${url.hostname}, where the key would travel in the clear; use https, or allowInsecureHttp`);
  }
  if (/[?#]/.test(baseUrl)) throw refused('baseUrl', 'has a query or a fragment; it is an address only');
  if (/[\\\s]/.test(baseUrl)) throw refused('baseUrl', 'holds a backslash or a space');
  const rest = baseUrl.slice(baseUrl.indexOf('//') + 2);
  const path = rest.includes('/') ? rest.slice(rest.indexOf('/')) : '';
  const prefix = segments('baseUrl', path) + segments('pathPrefix', pathPrefix);
  const final = new URL(prefix, url.origin);
  if (final.origin !== url.origin || final.pathname !== (prefix === '' ? '/' : prefix)) {
    throw refused('pathPrefix', `${JSON.stringify(pathPrefix)} leads to another address`);
  }
  return { origin: url.origin, prefix };
}

/** Normalizes a path to segments with a slash before each. An extra or missing slash at the start or the end doesn't matter. */
function segments(option: string, path: string): string {
  const inner = path.replace(/^\//, '').replace(/\/$/, '');
  if (inner === '') return '';
  for (const segment of inner.split('/')) {
    if (segment === '.' || segment === '..' || !plainSegment.test(segment)) {
      throw refused(option, `has the path ${JSON.stringify(path)}; it takes plain segments such as /api/v2`);
    }
  }
  return `/${inner}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function refused(option: string, why: string): RangeError {
  return new RangeError(`createClient: ${option} ${why}`);
}
