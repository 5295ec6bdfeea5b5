import { memoizePer } from '../../operators/kit/once.ts';
import { addressOf, type Service } from './Service.ts';
import { namesIn, type Slot } from './template.ts';

/** Whether a slot is for a secret: the key, something made from it, or another secret of the service. */
export function isSecret({ name, isParam }: Slot): boolean {
  if (isParam === true) return false;
  return ['key', 'basic', 'token', 'refresh'].includes(name) || name.startsWith(ofSecret);
}

const ofSecret = 'secret.';

/** The values of secrets, by their names in texts. */
export interface SecretValues {
  readonly [name: string]: string;
}

/** A key as HTTP Basic sends it. The key is `user:password`, or only a user. */
export function basicOf(key: string): string {
  return Buffer.from(key.includes(':') ? key : `${key}:`).toString('base64');
}

/** The secrets and variables that the texts of a service need. */
export interface Needs {
  readonly key: boolean;
  readonly basic: boolean;
  readonly token: boolean;
  /** The names after `secret.`. */
  readonly secrets: readonly string[];
  /** The names after `env.`. */
  readonly env: readonly string[];
}

export const needsOf: (service: Service) => Needs = memoizePer((service) => {
  const { operations, headers, query, token, sign } = service;
  const requests = Object.values(operations).map(({ spec }) => {
    const { get, post, query: own, headers: ownHeaders, body, form } = spec;
    return [get, post, own, ownHeaders, body, form];
  });
  const names = namesIn([requests, headers, query, token]);
  const after = (start: string): string[] => [...names].filter((name) => name.startsWith(start)).map((name) => name.slice(start.length));
  return {
    key: sign !== undefined || names.has('key') || names.has('basic'),
    basic: names.has('basic'),
    token: names.has('token'),
    secrets: after(ofSecret),
    env: after('env.'),
  };
});

/** The names of a service's environment variables: for its address, its key, and its other secrets by name. */
interface Variables {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secrets: { readonly [secret: string]: string };
}

/**
 * The names of a service's environment variables, such as `TRAWLER_API_KEY`, and `TRAWLER_APP_KEY` for a secret `appKey`. A service with
 * an address has its own: `SERPER_API_KEY`.
 */
export function variablesOf(service: Service | undefined): Variables {
  const owner = addressOf(service ?? {}).origin === undefined ? 'TRAWLER' : service!.name.replaceAll(/\W/g, '_').toUpperCase();
  const variable = (of: string): string => `${owner}_${of.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_').toUpperCase()}`;
  const secrets = Object.fromEntries((service === undefined ? [] : needsOf(service).secrets).map((secret) => [secret, variable(secret)]));
  return { baseUrl: variable('baseUrl'), apiKey: variable('apiKey'), secrets };
}

/** Adapts advice that names the options `apiKey` and `baseUrl` to a service: with its own secrets and its environment variables. */
export function withVariables(advice: string, service: Service): string {
  const { apiKey, baseUrl, secrets } = variablesOf(service);
  const isOwn = addressOf(service).origin !== undefined;
  const asked = [...(needsOf(service).key ? [isOwn ? apiKey : 'apiKey'] : []), ...Object.values(secrets)];
  const named = asked.length === 0 ? advice : advice.replace('apiKey', asked.join(' and '));
  return isOwn ? named.replace('baseUrl', `baseUrl (or ${baseUrl})`) : named;
}

/** The parameters of addresses, and the headers, that have a secret. */
function* fieldsWith(service: Service, has: (name: string) => boolean): Generator<readonly [part: 'query' | 'headers', field: string]> {
  for (const holder of [service, ...Object.values(service.operations).map(({ spec }) => spec)])
    for (const part of ['query', 'headers'] as const)
      for (const [field, value] of Object.entries(holder[part] ?? {})) if ([...namesIn(value)].some(has)) yield [part, field];
}

/** The parameters of addresses that have secrets. */
export const secretParams: (service: Service) => readonly string[] = memoizePer((service) => {
  const fields = [...fieldsWith(service, (name) => isSecret({ name, as: undefined }))];
  return [...new Set(fields.flatMap(([part, field]) => (part === 'query' ? [field] : [])))];
});

/** The parameter of addresses that has this secret. undefined: none has. */
export function paramOf(service: Service, secret: string): string | undefined {
  return [...fieldsWith(service, (name) => name === secret)].find(([part]) => part === 'query')?.[1];
}

/** Whether a header has a secret. */
export function isInHeader(service: Service, secret: string): boolean {
  return [...fieldsWith(service, (name) => name === secret)].some(([part]) => part === 'headers');
}
