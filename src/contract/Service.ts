import type { FailureSpec } from './FailureSpec.ts';
import type { EnvelopeSpec, LimitSpec } from './EnvelopeSpec.ts';
import type { TokenSpec } from './TokenSpec.ts';
import type { Operation } from './Operation.ts';
import type { QueryValue } from './Param.ts';
import type { FanOutPart, SearchAccount, SearchFanOut } from './SearchWords.ts';

/** A service as data: its operations, how the key is sent, and how a response wraps its data. */
export interface Service<
  Operations extends { readonly [name: string]: Operation } = { readonly [name: string]: Operation },
  FanOuts extends { readonly [name: string]: FanOutSpec } = { readonly [name: string]: FanOutSpec },
> {
  /** What help, events and reports call it. */
  readonly name: string;
  /** What it is, in a sentence. */
  readonly about?: string | undefined;
  /**
   * Its address with what all paths begin with: `https://api.example.com/v2`. A client may get another address. If only the client knows
   * it, `/v2`. A service with an address has environment variables of its own: `SERPER_API_KEY`, `SERPER_BASE_URL`.
   * @default none: the client says where it is
   */
  readonly baseUrl?: string | undefined;
  /** How a token is requested. It stands where a text has `${token}`. @default there is none */
  readonly token?: TokenSpec | undefined;
  /** Signs each request: makes headers for it, which take the place of others. @default none is signed */
  readonly sign?: Sign | undefined;
  /** A request that shows whether the key works, and what is left for it: `trawler check` sends it. @default none */
  readonly account?: AccountSpec | undefined;
  /** How a response wraps its data. @default the body is the data */
  readonly envelope?: EnvelopeSpec | undefined;
  /** What its responses mean, where that isn't the usual. The first rule that fits counts. @default none */
  readonly failures?: readonly FailureSpec[] | undefined;
  /**
   * Its limits, if they are known or told in a way of its own: `default`, and those that groups of operations have for themselves.
   * `'learnt'`: that of a group of which nothing is known.
   * @default learnt, and read in the usual headers
   */
  readonly limits?: { readonly [group: string]: LimitSpec | 'learnt' } | undefined;
  /**
   * What requests cost, in any currency or in credits: `{ default: 1, mapsSearch: 3, failed: 0 }` by operation, where `failed` is
   * a request that brings no page. `at` is where a response tells its own: 'header:x-credits-used', or a path in the whole body. `row` is
   * what each row costs, of operations without a price of their own: `{ row: 0.003, account: 0 }`.
   * `{}`: nobody knows what they cost. Where one isn't free, a stage of a flow takes one page of a query if it doesn't say `pages`.
   * @default requests are free
   */
  readonly price?: PriceSpec | undefined;
  /** Sent with every request: `{ authorization: 'Bearer ${key}' }`. An operation may add its own. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** What every address has behind the path. An operation may add its own. @default none */
  readonly query?: { readonly [field: string]: QueryValue } | undefined;
  /** By name. Each is what `defineOperation` returns. */
  readonly operations: Operations;
  /** Ready fan-outs, by name. @default none */
  readonly fanOuts: FanOuts;
  /** Command lines for help, by command ('' for the overview): what to type, and what it does. @default none */
  readonly examples?: { readonly [command: string]: readonly (readonly [line: string, about: string])[] } | undefined;
}

/** Makes headers for a request that is about to be sent: for each attempt, so that a signature may contain the time. */
export type Sign = (request: UnsignedRequest, key: string) => SignedHeaders | Promise<SignedHeaders>;

/** A request as it will be sent. */
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

export type PriceSpec = { readonly at?: string | undefined; readonly row?: number | undefined } & {
  readonly [operation: string]: number | string | undefined;
};

export interface AccountSpec extends SearchAccount {
  /** The name of the operation. */
  readonly call: string;
  /** Its query. @default {} */
  readonly with?: { readonly [param: string]: QueryValue } | undefined;
  /** Where its data says how much is left. @default it doesn't */
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

/** The address of a service, if it says one, and what its paths begin with. */
export function addressOf({ baseUrl = '' }: Pick<Service, 'baseUrl'>): { readonly origin: string | undefined; readonly path: string } {
  const [, origin, path = ''] = /^(https?:\/\/[^/]+)?(.*)$/.exec(baseUrl)!;
  return { origin, path };
}

/** The data of a service. */
export type ServiceSpec<Operations, FanOuts> = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: Operations;
  readonly fanOuts?: FanOuts | undefined;
};

/** A service from data that is known to be right. Our own is checked by a test, not at every start. */
export function madeService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const operations = Object.fromEntries(
    Object.entries(spec.operations).map(([each, operation]) => [each, ofService(spec, each, operation)]),
  );
  return Object.freeze({ ...spec, operations: operations as unknown as Operations, fanOuts: spec.fanOuts ?? ({} as FanOuts) });
}

/** An operation with its name, and with what every request of its service has. */
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
