import type { AnswerSpec } from './answerTables.ts';
import type { WalkedOperation } from '../../operators/walk/WalkedOperation.ts';

/**
 * What only services of search data say of an operation: areas, years, answers, estimates, and other names for columns, so that several
 * services have the same ones. The language that everybody learns has none of these.
 */
export interface SearchOperation extends Pick<WalkedOperation, 'listUndocumented' | 'estimates' | 'recheck' | 'splits'> {
  /** Its heading in help and reference. @default the name */
  readonly title?: string;
  /** Where its responses have a generated answer. Flows make tables of it: `blocks`, `sources` and `citations`. @default none */
  readonly answer?: AnswerSpec;
  /**
   * Columns that rows have under other names than in the response: `{ phone: 'phoneNumber', 'gps_coordinates.latitude': 'latitude' }`.
   * All that names a column means these.
   * @default the names of the response
   */
  readonly columns?: { readonly [column: string]: string } | undefined;
}

/** What only they say of a parameter. */
export interface SearchParam {
  /** Documented values, if others exist too. */
  readonly known?: readonly string[];
  /**
   * What is sent in place of a value: `{ newestFirst: 'newest' }`. A star at the end of both stands for any text: `{ '@*': '*' }` leaves
   * an @ out. Others are sent as they are.
   * @default nothing is replaced
   */
  readonly values?: { readonly [value: string]: string | number | boolean };
  /** The value is a multiple of this. */
  readonly step?: number;
  /** A value from an earlier response of the service. */
  readonly from?: string;
}

/** What only they say of a ready fan-out. */
export interface SearchFanOut {
  /** What it runs over: a list in the `data` of each page, or `data` itself (null). @default the rows */
  readonly rows?: string | null;
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

/** What only they say of what wraps a response. */
export interface SearchEnvelope {
  /** The service's name for the request. Errors and events have it, for its support. */
  readonly requestId?: string | undefined;
  /** When the service responded, in milliseconds since 1970. */
  readonly timestamp?: string | undefined;
}

/** What only they say of an account. */
export interface SearchAccount {
  /** Where its data says how much is used, if `left` is where it says how much there is in all. @default `left` is what is left */
  readonly used?: string | undefined;
}

/** A part of a value of the row. */
export interface FanOutPart {
  /** The value that it is a part of. */
  readonly of: string;
  /** The part before this text. */
  readonly before?: string;
  /** The values separated by this text. */
  readonly split?: string;
  /** The value of this parameter in a URL. */
  readonly param?: string;
}
