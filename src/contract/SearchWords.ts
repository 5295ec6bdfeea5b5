import type { WalkedOperation } from '../../operators/walk/WalkedOperation.ts';

/**
 * The fields of an operation that only services of search data need: areas, years, generated answers, estimates, and other names for
 * columns, so that several services have the same ones. Most users need none of them.
 */
export interface SearchOperation extends Pick<WalkedOperation, 'listUndocumented' | 'estimates' | 'recheck' | 'splits'> {
  /** Its heading in help and reference. @default the name */
  readonly title?: string;
  /** Where its responses have a generated answer. Flows turn it into the tables `blocks`, `sources` and `citations`. @default none */
  readonly answer?: AnswerSpec;
  /**
   * Other names for columns than those in the response: `{ phone: 'phoneNumber', 'gps_coordinates.latitude': 'latitude' }`. Wherever a
   * column is named, it has the new name.
   * @default the names of the response
   */
  readonly columns?: { readonly [column: string]: string } | undefined;
}

/** The fields of a parameter that only these services need. */
export interface SearchParam {
  /** Some documented values. Other values are allowed too. */
  readonly known?: readonly string[];
  /**
   * What is sent instead of a value: `{ newestFirst: 'newest' }`. A star at the end of both stands for any text: `{ '@*': '*' }` sends
   * `@x` as `x`. Other values are sent as they are.
   * @default nothing is replaced
   */
  readonly values?: { readonly [value: string]: string | number | boolean };
  /** The value must be a multiple of this. */
  readonly step?: number;
  /** Where its values come from, in words: `ai_overview_url of webSearch`. */
  readonly from?: string;
}

/** The fields of a ready fan-out that only these services need. */
export interface SearchFanOut {
  /** The path of the list in the `data` of each page that it runs over, or null for `data` itself. @default the rows */
  readonly rows?: string | null;
  /** The parameters that identify a query: each query is requested once. @default all of `with` */
  readonly by?: readonly string[];
  /** Fields of the row. If one of them is 0, the row is skipped. */
  readonly unlessZero?: readonly string[];
  /** The field of the row that says how many rows there are for it: `$.reviews`. @default unknown */
  readonly claims?: string;
  /** As an operator, it walks all pages of each query. @default one page each */
  readonly walks?: true;
  /**
   * The value from the row is valid for minutes only, so its query is sent before all others. If the service rejects it, the query that
   * returned the row is repeated once for a new value.
   */
  readonly expires?: true;
}

/** The fields of an envelope that only these services need. */
export interface SearchEnvelope {
  /** The service's id of the request. Errors and events have it, because its support asks for it. */
  readonly requestId?: string | undefined;
  /** When the service responded, in milliseconds since 1970. */
  readonly timestamp?: string | undefined;
}

/** The field of an account that only these services need. */
export interface SearchAccount {
  /** Where the data says how much is used. Then `left` is where it says how much there is in all. @default `left` is what is left */
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

/** Where a response has a generated answer. */
export interface AnswerSpec {
  /** The dotted path of its text blocks. */
  readonly blocks: string;
  /** The dotted path of the sources that it names. */
  readonly references: string;
}
