import type { EnvelopeSpec } from './EnvelopeSpec.ts';
import type { FailureSpec } from './FailureSpec.ts';
import type { KeySpec } from './KeySpec.ts';
import type { LimitSpec } from './LimitSpec.ts';
import type { Operation } from './Operation.ts';
import type { QueryValue } from './Param.ts';

/** A service as data: its operations, how the key is sent, and how a response wraps its data. */
export interface Service<
  Operations extends { readonly [name: string]: Operation } = { readonly [name: string]: Operation },
  FanOuts extends { readonly [name: string]: FanOutSpec } = { readonly [name: string]: FanOutSpec },
> {
  /** What help, events and reports call it. */
  readonly name: string;
  /** What it is, in a sentence. */
  readonly about?: string | undefined;
  /** Prefix of each operation's path, such as `/v2`. @default none */
  readonly basePath?: string | undefined;
  /**
   * Other beginnings of a path that the address of a next page may have, such as `/v3`. The key goes there too.
   * @default none: next pages are below the base path
   */
  readonly nextPaths?: readonly string[] | undefined;
  /** How the API key is sent. @default no key is sent */
  readonly key?: KeySpec | undefined;
  /** How a response wraps its data. @default the body is the data */
  readonly envelope?: EnvelopeSpec | undefined;
  /** What its responses mean, where that isn't the usual. The first rule that fits counts. @default none */
  readonly failures?: readonly FailureSpec[] | undefined;
  /** The limit of what is in none of `groups`, if it is known or told in a way of its own. @default learnt, and read in the usual headers */
  readonly limit?: LimitSpec | undefined;
  /** Groups of operations that have a limit of their own: this one, or one that is learnt. @default all operations share one */
  readonly groups?: { readonly [group: string]: LimitSpec | 'learnt' } | undefined;
  /** Sent with every request. An operation may add its own. @default none */
  readonly headers?: { readonly [name: string]: string } | undefined;
  /** Parameters of every request that nobody has to give. @default none */
  readonly fixed?: { readonly [param: string]: QueryValue } | undefined;
  /** By name. Each is what `defineOperation` returns. */
  readonly operations: Operations;
  /** Ready fan-outs, by name. @default none */
  readonly fanOuts: FanOuts;
  /** Command lines for help, by command ('' for the overview): what to type, and what it does. @default none */
  readonly examples?: { readonly [command: string]: readonly (readonly [line: string, about: string])[] } | undefined;
}

/**
 * A ready fan-out as data: the operation to call for each row, the values to take from the row, and the rows to skip.
 * An operator and a flow's stage both read it, through `queriesOf`.
 */
export interface FanOutSpec {
  /** The name of the operation. */
  readonly call: string;
  /** What it returns, as in "reviews of each place". */
  readonly about: string;
  /** What it runs over: a list in the `data` of each page, or `data` itself (null). @default the rows */
  readonly rows?: string | null;
  /** The source of each parameter: `$.field` of the row, `$query.param`, a constant, or a part of one of these. Of several sources, the first with a value is used. Rows without a value are skipped. */
  readonly with: { readonly [param: string]: FanOutSource | readonly FanOutSource[] };
  /** The parameters that identify a query: each query is requested once. @default all of `with` */
  readonly by?: readonly string[];
  /** Fields of the row. If one of them is 0, the row is skipped. */
  readonly unlessZero?: readonly string[];
  /** The field of the row that says how many rows there are for it: `$.reviews`. @default unknown */
  readonly claims?: string;
  /** As an operator it walks all pages of each query. @default one page each */
  readonly walks?: true;
  /**
   * The row's value is valid for minutes only. It is requested before everything else. If it is rejected, the query
   * that returned the row is requested once more for a new value.
   */
  readonly expires?: true;
}

/**
 * A value, or a part of one: `$.field` of the row (`$.list[].field` for each entry of a list in it), `$query.param` of
 * the query that returned the row, or any other text as a constant.
 */
export type FanOutSource = string | FanOutPart;

export interface FanOutPart {
  readonly of: string;
  /** The part before this text. */
  readonly before?: string;
  /** The values separated by this text. */
  readonly split?: string;
  /** The value of this parameter in a URL. */
  readonly param?: string;
}
