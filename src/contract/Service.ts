import type { FailureSpec } from './FailureSpec.ts';
import type { EnvelopeSpec, LimitSpec } from './EnvelopeSpec.ts';
import type { Operation } from './Operation.ts';
import type { QueryValue } from './Param.ts';
import type { FanOutPart, SearchAccount, SearchFanOut } from './SearchWords.ts';

/** A service as data: its operations, how the key is sent, and how a response wraps its data. */
export interface Service<
  Operations extends { readonly [name: string]: Operation } = { readonly [name: string]: Operation },
  FanOuts extends { readonly [name: string]: FanOutSpec } = { readonly [name: string]: FanOutSpec },
> {
  /** Its name in help, events and reports. */
  readonly name: string;
  /** What it is, in a sentence. */
  readonly about?: string | undefined;
  /**
   * Its address, with the beginning of all paths: `https://api.example.com/v2`. A client may be given another address. If only the client
   * knows it, write `/v2`. A service with an address has environment variables of its own: `SERPER_API_KEY`, `SERPER_BASE_URL`.
   * @default none: the client must be given it
   */
  readonly baseUrl?: string | undefined;
  /** How to request the token that `${token}` in a text stands for. @default there is none */
  readonly token?: TokenSpec | undefined;
  /** Signs each request: returns headers, which replace others of the same name. @default requests aren't signed */
  readonly sign?: Sign | undefined;
  /** A request that shows whether the key works, and what is left for it: `trawler check` sends it. @default none */
  readonly account?: AccountSpec | undefined;
  /** How a response wraps its data. @default the body is the data */
  readonly envelope?: EnvelopeSpec | undefined;
  /** What its responses mean, if not the usual. The first rule that fits counts. @default none */
  readonly failures?: readonly FailureSpec[] | undefined;
  /**
   * Its limits, if they are known, or stated in an unusual way. `default` is for all operations. Groups of operations may have their own.
   * `'learnt'` means that the limit of the group is unknown.
   * @default learnt, and read from the usual headers
   */
  readonly limits?: { readonly [group: string]: LimitSpec | 'learnt' } | undefined;
  /**
   * What requests cost, in any currency or in credits, by operation: `{ default: 1, mapsSearch: 3, failed: 0 }`. `failed` is the price of
   * a request without a page. `at` is where a response has its price: 'header:x-credits-used', or a path in the whole body. `row` is the
   * price of a row, for operations without a price of their own: `{ row: 0.003, account: 0 }`. `unit` says what is counted: `'credits'`,
   * `'USD'`. `{}`: the prices are unknown. If an operation isn't free, a stage of a flow without `pages` requests only one page of each
   * query.
   * @default requests are free
   */
  readonly price?: PriceSpec | undefined;
  /** Sent with every request: `{ authorization: 'Bearer ${key}' }`. An operation may add its own. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Fields of every address, after the path. An operation may add its own. @default none */
  readonly query?: { readonly [field: string]: QueryValue } | undefined;
  /** By name. Each is what `defineOperation` returns. */
  readonly operations: Operations;
  /** Ready fan-outs, by name. @default none */
  readonly fanOuts: FanOuts;
  /** Examples for help, by command ('' for the overview): a command line, and what it does. @default none */
  readonly examples?: { readonly [command: string]: readonly (readonly [line: string, about: string])[] } | undefined;
}

/** Returns headers for a request that is about to be sent. Called for each attempt, so that a signature may contain the time. */
export type Sign = (request: UnsignedRequest, key: string) => SignedHeaders | Promise<SignedHeaders>;

/** A request before it is signed and sent. */
export interface UnsignedRequest {
  readonly method: string;
  /** The whole address, with its query. */
  readonly url: string;
  /** By name in lower case. `host`, `connection` and `content-length` are added later. */
  readonly headers: SignedHeaders;
  /** undefined for a request without a body. */
  readonly body: string | undefined;
}

export interface SignedHeaders {
  readonly [name: string]: string;
}

export type PriceSpec = { readonly at?: string | undefined; readonly row?: number | undefined; readonly unit?: string | undefined } & {
  readonly [operation: string]: number | string | undefined;
};

export interface AccountSpec extends SearchAccount {
  /** The name of the operation. */
  readonly call: string;
  /** Its query. @default {} */
  readonly with?: { readonly [param: string]: QueryValue } | undefined;
  /** The path in its data of how much is left. @default it doesn't say that */
  readonly left?: string | undefined;
}

/**
 * A ready fan-out as data: the operation to call for each row, the values to take from the row, and the rows to skip.
 * An operator and a flow's stage both read it, through `queriesOf`.
 */
export interface FanOutSpec extends SearchFanOut {
  /** The name of the operation. */
  readonly call: string;
  /** What it returns, as in "reviews of each place". */
  readonly about: string;
  /**
   * The source of each parameter: `$.field` of the row, `$query.param`, a constant, or a part of one of these. Of several sources, the
   * first with a value is used. Rows without a value are skipped.
   */
  readonly with: { readonly [param: string]: FanOutSource | readonly FanOutSource[] };
}

/**
 * A value, or a part of one: `$.field` of the row (`$.list[].field` for each entry of a list in it), `$query.param` of
 * the query that returned the row, or any other text as a constant.
 */
export type FanOutSource = string | FanOutPart;

/** The origin of a service's address, if it has one, and the beginning of its paths. */
export function addressOf({ baseUrl = '' }: Pick<Service, 'baseUrl'>): { readonly origin: string | undefined; readonly path: string } {
  const [, origin, path = ''] = /^(https?:\/\/[^/]+)?(.*)$/.exec(baseUrl)!;
  return { origin, path };
}

/** A service as `defineService` takes it. */
export type ServiceSpec<Operations, FanOuts> = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: Operations;
  readonly fanOuts?: FanOuts | undefined;
};

/** Makes a service without checking its data. Our own service is checked by a test instead, so that each start is faster. */
export function madeService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const operations = Object.fromEntries(
    Object.entries(spec.operations).map(([each, operation]) => [each, ofService(spec, each, operation)]),
  );
  return Object.freeze({ ...spec, operations: operations as unknown as Operations, fanOuts: spec.fanOuts ?? ({} as FanOuts) });
}

/** An operation with its name, and with the headers and fields that every request of its service has. */
function ofService({ headers, query }: Pick<Service, 'headers' | 'query'>, key: string, operation: Operation): Operation {
  if (operation.name !== '' && headers === undefined && query === undefined) return operation;
  const name = operation.name === '' ? key : operation.name;
  const spec = {
    ...operation.spec,
    name,
    ...(headers === undefined ? {} : { headers: { ...lowerCase(headers), ...lowerCase(operation.spec.headers ?? {}) } }),
    ...(query === undefined ? {} : { query: { ...query, ...operation.spec.query } }),
  };
  return { ...operation, spec, name };
}

function lowerCase(headers: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * How to request the token that `${token}` in the texts of a service stands for. It is requested before the first request, before it
 * expires, and once after a 401. Texts of this request may have `${key}`, `${basic}`, `${secret.name}` and `${refresh}`.
 */
export interface TokenSpec {
  /** Where to request it with a GET: a path at the origin of `baseUrl`, or an address on any host. Either `get` or `post`. */
  readonly get?: string | undefined;
  /** The same for a POST. */
  readonly post?: string | undefined;
  /** Fields of the address, after the path. @default none */
  readonly query?: { readonly [field: string]: QueryValue } | undefined;
  /** Headers of the request. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** The body as JSON. @default none */
  readonly body?: { readonly [field: string]: unknown } | undefined;
  /** The body as a form. @default none */
  readonly form?: { readonly [field: string]: QueryValue } | undefined;
  /** Where the response has the token: a dotted path, '' if the body is the token, or a header: `header:x-token`. */
  readonly at: string;
  /**
   * How long the token is valid, in seconds, or the path of that in the response, which may also have the time when it expires.
   * @default until it is refused
   */
  readonly expires?: number | string | undefined;
  /** The refresh token, for `${refresh}`. @default there is none */
  readonly refresh?: RefreshSpec | undefined;
}

export interface RefreshSpec {
  /** The file with the refresh token. If the service sends a new one, it is written there. */
  readonly file: string;
  /** The path of a new refresh token in the response. @default it stays the same */
  readonly at?: string | undefined;
}
