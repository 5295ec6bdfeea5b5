import { inWords, nearestName } from '../../operators/check/nearestName.ts';

/**
 * How a token is requested with the key, and where the response has it. The token is sent in place of the key. It is requested before
 * the first request, before it expires, and once after a 401.
 *
 * In the texts of `params`, `headers`, `json` and `form`, `${key}` stands for the key, `${id}` and `${secret}` for what is before and
 * after its first colon, `${basic}` for what HTTP Basic makes of it, `${user}` and `${password}` for those of the client, and
 * `${refresh}` for the refresh token. A field without a value is left out.
 */
export interface TokenSpec {
  /** Where tokens are requested: a path at the origin of `baseUrl`, or an address on any host. */
  readonly path: string;
  /** The method of the request. @default 'POST' */
  readonly method?: (typeof tokenMethods)[number] | undefined;
  /** Parameters of the address. @default none */
  readonly params?: { readonly [param: string]: string } | undefined;
  /** Headers of the request. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The body as JSON. @default none */
  readonly json?: { readonly [field: string]: unknown } | undefined;
  /** The body as a form. @default none */
  readonly form?: { readonly [field: string]: string } | undefined;
  /** Where the body of the response has the token, as a dotted path. '' if the body is the token. */
  readonly at?: string | undefined;
  /** The header of the response that has the token, in place of `at`. */
  readonly inHeader?: string | undefined;
  /**
   * How long the token is valid, in seconds, or where the response says that. It may also say there until when.
   * @default until it is refused
   */
  readonly expires?: number | string | undefined;
  /** The refresh token, for `${refresh}`. @default there is none */
  readonly refresh?: RefreshSpec | undefined;
}

export interface RefreshSpec {
  /** The file with the refresh token. One that the service sends in its place is written there. */
  readonly file: string;
  /** Where the response may have another one. @default it stays the same */
  readonly at?: string | undefined;
}

export const tokenMethods = ['POST', 'GET', 'PUT'] as const;

/** What a text of a token's request may stand for. */
const tokenWords = ['key', 'id', 'secret', 'basic', 'user', 'password', 'refresh'] as const;
type TokenWord = (typeof tokenWords)[number] | typeof formBasic;
/** As OAuth 2 has HTTP Basic: both parts are encoded as in a form first (RFC 6749, 2.3.1). */
const formBasic = 'formBasic';

/** The values of the words. undefined: there is none. */
export type TokenValues = { readonly [word in TokenWord]?: string | undefined };

const word = /\$\{([^}]*)\}/g;

/** The words that the request of a token has. */
export function wordsOf({ params, headers, json, form }: TokenSpec): ReadonlySet<string> {
  return new Set(Array.from(JSON.stringify([params, headers, json, form]).matchAll(word), ([, name]) => name!));
}

/** A part of a request with values in place of its words. A field without a value is left out. */
export function filledWith<Part>(part: Part, values: TokenValues): Part {
  if (Array.isArray(part)) return part.map((one: unknown) => filledWith(one, values)) as Part;
  if (typeof part === 'object' && part !== null) {
    const fields = Object.entries(part).map(([field, value]) => [field, filledWith<unknown>(value, values)] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as Part;
  }
  if (typeof part !== 'string') return part;
  const names = Array.from(part.matchAll(word), ([, name]) => name as TokenWord);
  if (names.some((name) => values[name] === undefined)) return undefined as Part;
  return part.replace(word, (_, name: TokenWord) => values[name]!) as Part;
}

/** What the key says: `id:secret`, or the id alone. '' for no key. */
export function valuesOfKey(key: string): TokenValues & { readonly id: string; readonly basic: string } {
  const colon = key.indexOf(':');
  const [id, secret] = colon < 0 ? [key] : [key.slice(0, colon), key.slice(colon + 1)];
  const encoded = [id, secret ?? ''].map((part) => new URLSearchParams([['', part!]]).toString().slice(1));
  return { key, id: id!, secret, basic: base64(colon < 0 ? `${key}:` : key), [formBasic]: base64(encoded.join(':')) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

export interface OAuth2Spec {
  /** Where tokens are requested: a path at the origin of `baseUrl`, or an address on any host. */
  readonly address: string;
  /** How a token is granted. `password` needs `user` and `password` of the client, too. */
  readonly grant: (typeof grants)[number];
  /** How id and secret are sent: as HTTP Basic, or in the body. @default 'basic' */
  readonly send?: (typeof sendings)[number] | undefined;
  /** What the token may do, in the words of the service. @default what the service gives */
  readonly scope?: string | undefined;
  /** The file with the refresh token. One that the service sends in its place is written there. Only of `refresh_token`. */
  readonly file?: string | undefined;
}

export const grants = ['client_credentials', 'refresh_token', 'password'] as const;
export const sendings = ['basic', 'body'] as const;

/** OAuth 2 as the request of a token. */
export function tokenOfOAuth2({ address, grant, send = 'basic', scope, file }: OAuth2Spec): TokenSpec {
  const application: TokenSpec['form'] = send === 'basic' ? {} : { client_id: '${id}', client_secret: '${secret}' };
  return {
    path: address,
    headers: send === 'basic' ? { authorization: `Basic \${${formBasic}}` } : undefined,
    form: { grant_type: grant, ...(scope === undefined ? {} : { scope }), ...application, ...ofGrant[grant] },
    at: 'access_token',
    expires: 'expires_in',
    refresh: file === undefined ? undefined : { file, at: 'refresh_token' },
  };
}

const ofGrant: { readonly [grant in OAuth2Spec['grant']]: { readonly [field: string]: string } } = {
  client_credentials: {},
  password: { username: '${user}', password: '${password}' },
  refresh_token: { refresh_token: '${refresh}' },
};

/** What is wrong between the fields of a token, as words that follow its path. undefined: nothing. */
export function tokenFault(token: TokenSpec): string | undefined {
  const { method = 'POST', json, form, at, inHeader, refresh } = token;
  if ((at === undefined) === (inHeader === undefined)) return ' must say where the token is: with either at or inHeader';
  if (json !== undefined && form !== undefined) return ' has json and form; a request has one body';
  if (method === 'GET' && (json ?? form) !== undefined) return `: a GET has no body; use params, or another method`;
  const words = wordsOf(token);
  const unknown = [...words].find((name) => !(tokenWords as readonly string[]).includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, tokenWords);
    return ` has \${${unknown}}, ${near === undefined ? `and there is ${tokenWords.map((name) => `\${${name}}`).join(', ')}` : `did you mean \${${near}}?`}`;
  }
  if (words.size === 0) return ' sends nothing of the key: write ${key}, ${secret} or ${password} where it belongs';
  if (words.has('refresh') !== (refresh !== undefined))
    return refresh === undefined
      ? '.refresh is missing: the file with the refresh token'
      : `.refresh is for ${inWords('${refresh}')}, which is nowhere sent`;
  return undefined;
}
