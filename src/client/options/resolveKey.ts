import { isLoopback } from '../../../operators/kit/parsedUrl.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { Service } from '../../contract/index.ts';
import { isInHeader, needsOf, variablesOf } from '../../contract/secrets.ts';
import { routeOf } from '../../contract/request.ts';
import { TrawlerError } from '../../errors/index.ts';
import type { ClientOptions } from '../ClientOptions.ts';

/** What the user gives to say who sends requests. Only the transport and its credential have it. */
export interface Given {
  /** '' for none. */
  readonly key: string;
  /** The service's other secrets, by the names that texts have for them. */
  readonly values: { readonly [name: string]: string };
  /** Where tokens are requested. */
  readonly tokenUrl?: URL | undefined;
}

type Credentials = Pick<ClientOptions, 'apiKey' | 'secrets'>;

/** What passes every check, for a client that sends nothing itself. */
export function anyCredentials(service: Service): Credentials {
  return { apiKey: 'none:none', secrets: Object.fromEntries(needsOf(service).secrets.map((name) => [name, 'none'])) };
}

/** Finds the key and all else that the service's texts name, in the options or the environment. Throws if something is missing. */
export function resolveKey(
  service: Service,
  { apiKey, secrets = {} }: Credentials,
  { origin, allowInsecureHttp, replays }: { readonly origin: string; readonly allowInsecureHttp: boolean; readonly replays: boolean },
): Given {
  const needs = needsOf(service);
  const variables = variablesOf(service);
  const given = apiKey ?? process.env[variables.apiKey];
  const key = needs.key && (!replays || given) ? checkKey(given, variables.apiKey, isInHeader(service, 'key')) : '';
  const values = replays ? {} : secretsOf(service, secrets);
  const variable = replays ? undefined : needs.env.find((name) => !process.env[name]);
  if (variable !== undefined)
    throw new TrawlerError(`createClient: the environment variable ${variable} is not set, which the service names`);
  if (service.token === undefined || replays) return { key, values };
  const tokenUrl = new URL(routeOf(service.token).path, origin);
  checkScheme('the address of the token', tokenUrl, allowInsecureHttp);
  return { key, values, tokenUrl };
}

/** The other secrets of a service, from the options or the environment. */
function secretsOf(service: Service, given: NonNullable<Credentials['secrets']>): Given['values'] {
  const names = needsOf(service).secrets;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new RangeError(`createClient: secrets.${unknown} is no secret of the service: it has ${names.join(', ') || 'none'}`);
  }
  return Object.fromEntries(
    names.map((name) => {
      const variable = variablesOf(service).secrets[name]!;
      const value = ownValue(given, name) ?? process.env[variable];
      if (!value) throw new TrawlerError(`createClient: secrets.${name} is missing; give it as an option or set ${variable}`);
      return [`secret.${name}`, checkText(`secrets.${name}`, value, isInHeader(service, `secret.${name}`))] as const;
    }),
  );
}

/** Returns the key if it can be sent: as it is in a header, or made into something else. */
function checkKey(key: unknown, variable: string, inHeader: boolean): string {
  if (key === undefined || key === '') {
    throw new TrawlerError(
      `createClient: apiKey is missing; give it as an option or set ${variable}. Without a key, try \`npx trawler sandbox\``,
    );
  }
  return checkText('apiKey', key, inHeader);
}

/** Returns a key if it can be sent. The errors never show it. */
function checkText(option: string, key: unknown, inHeader: boolean): string {
  if (typeof key !== 'string') throw new RangeError(`createClient: ${option} must be text, not ${typeof key}`);
  if (key.trim() !== key)
    throw new RangeError(`createClient: ${option} starts or ends with a blank or a line break; was it read from a file?`);
  if (inHeader && !/^[\x21-\x7e]+$/.test(key))
    throw new RangeError(`createClient: ${option} contains a blank or another character that its header can't carry`);
  if (/\p{Cc}/u.test(key)) throw new RangeError(`createClient: ${option} contains a line break or another control character`);
  return key;
}

/** Refuses addresses where the key would be readable on its way. */
export function checkScheme(option: string, url: URL, allowInsecureHttp: boolean): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw addressError(option, `has the scheme ${url.protocol}; it must be https:`);
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw addressError(option, `is http on ${url.hostname}, where the key would travel in the clear; use https, or allowInsecureHttp`);
  }
}

/** The error of an address that can't be used. */
export function addressError(option: string, why: string): RangeError {
  return new RangeError(`createClient: ${option} ${why}`);
}
