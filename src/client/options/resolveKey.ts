import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { Service } from '../../contract/index.ts';
import { type SecretSpec, tokenOf, variableOf } from '../../contract/EnvelopeSpec.ts';
import { wordsOf } from '../../contract/TokenSpec.ts';
import { TrawlerError } from '../../errors/index.ts';
import type { ClientOptions } from '../ClientOptions.ts';

/** What the user gives to say who sends requests. Only the transport and its credential have it. */
export interface Given {
  /** '' for none. */
  readonly key: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The service's other keys, each with what says how it is sent. */
  readonly secrets: readonly (readonly [spec: SecretSpec, value: string])[];
  /** Where tokens are requested. */
  readonly tokenUrl?: URL | undefined;
}

/** What passes every check, for a client that sends nothing itself. */
export function anyCredentials({ secrets = {} }: Service): Credentials {
  return {
    apiKey: 'none:none',
    user: 'none',
    password: 'none',
    secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, 'none'])),
  };
}

type Credentials = Pick<ClientOptions, 'apiKey' | 'user' | 'password' | 'secrets'>;

/** Finds the key, and what else its kind needs, in the options or the environment. Throws if something is missing. */
export function resolveKey(
  service: Service,
  { apiKey, user, password, secrets: others = {} }: Credentials,
  { origin, allowInsecureHttp, replays }: { readonly origin: string; readonly allowInsecureHttp: boolean; readonly replays: boolean },
): Given {
  const spec = service.key;
  const given = apiKey ?? process.env['TRAWLER_API_KEY'];
  const secrets = replays ? [] : secretsOf(service, others);
  if (spec === undefined || (replays && !given)) return { key: '', secrets };
  const requested = tokenOf(spec);
  if (requested === undefined || replays) return { key: checkKey(given, 'header' in spec && requested === undefined), secrets };
  const { token, where } = requested;
  const words = wordsOf(token);
  const key = ['key', 'id', 'secret', 'basic', 'formBasic'].some((word) => words.has(word)) ? checkKey(given, false) : '';
  const tokenUrl = new URL(token.path, origin);
  checkScheme(where === 'key.token' ? 'key.token.path' : 'key.oauth2.address', tokenUrl, allowInsecureHttp);
  if (('oauth2' in spec ? spec.oauth2.grant === 'client_credentials' : words.has('secret')) && !key.includes(':'))
    throw new TrawlerError(`createClient: apiKey must be id:secret, with a colon in between, as ${where} of the service says`);
  const account = {
    user: words.has('user') ? (user ?? process.env['TRAWLER_USER']) : undefined,
    password: words.has('password') ? (password ?? process.env['TRAWLER_PASSWORD']) : undefined,
  };
  for (const [option, value] of Object.entries(account)) {
    if (!words.has(option)) continue;
    if (!value) throw new TrawlerError(`createClient: ${option} is missing; give it as an option or set TRAWLER_${option.toUpperCase()}`);
    if (typeof value !== 'string') throw new RangeError(`createClient: ${option} must be text, not ${typeof value}`);
  }
  return { key, secrets, tokenUrl, ...account };
}

/** The other keys of a service, from the options or the environment. */
function secretsOf({ secrets = {} }: Service, given: NonNullable<Credentials['secrets']>): Given['secrets'] {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(secrets, name));
  if (unknown !== undefined) {
    const known = Object.keys(secrets).join(', ') || 'none';
    throw new RangeError(`createClient: secrets.${unknown} is no secret of the service: it has ${known}`);
  }
  return Object.entries(secrets).map(([name, spec]) => {
    const variable = variableOf(name, spec);
    const value = ownValue(given, name) ?? process.env[variable];
    if (!value) throw new TrawlerError(`createClient: secrets.${name} is missing; give it as an option or set ${variable}`);
    return [spec, checkText(`secrets.${name}`, value, 'header' in spec)] as const;
  });
}

/** Returns the key if it can be sent: as it is in a header, or made into something else. */
function checkKey(key: unknown, inHeader: boolean): string {
  if (key === undefined || key === '') {
    throw new TrawlerError(
      'createClient: apiKey is missing; give it as an option or set TRAWLER_API_KEY. Without a key, try `npx trawler sandbox`',
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

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The error of an address that can't be used. */
export function addressError(option: string, why: string): RangeError {
  return new RangeError(`createClient: ${option} ${why}`);
}
