import type { SearchParam } from './SearchWords.ts';

/** The formats of string parameters. `checkQuery/formats.ts` has an entry for each. */
export type ParamFormat =
  | 'date' //        2026-05-01, a day that exists
  | 'compactDate' //   20260501, a day that exists
  | 'time' //        a day that exists, or a date with time and zone
  | 'url';

/** A check of the text of a parameter. */
export interface TextForm {
  /** What it must be, in words that follow "must be". */
  readonly right: string;
  readonly test: (text: string) => boolean;
  /** Its JSON Schema, as far as possible. */
  readonly schema: { readonly pattern?: string; readonly format?: string };
}

/** The methods of requests, as descriptions name them. */
export const methods = ['get', 'post'] as const;
export type Method = (typeof methods)[number];

export type ParamType = (typeof paramTypes)[number];
export const paramTypes = ['string', 'integer', 'number', 'boolean', 'strings', 'object', 'array'] as const;

/** A value of a query. */
export type QueryValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

/** One parameter of one operation, as data. */
export interface ParamSpec extends SearchParam {
  /** The type of its value. `strings`: a list of texts. `object`, `array`: any JSON object or list. */
  readonly type: ParamType;
  /** What it means, in a few words. @default none */
  readonly about?: string;
  /**
   * For a list of ids: how many of them one request takes, so that several queries share a request. `{ size: 50, id: 'video.id' }` also
   * names the field of a row that says which id it belongs to, if that isn't the `id` of the operation.
   * @default each query has its own request
   */
  readonly batch?: number | BatchSpec;
  /** A query without it is refused. */
  readonly required?: true;
  /** The documented default. It is shown in help, and not sent. */
  readonly default?: string | number | boolean;
  /** The only allowed values. */
  readonly oneOf?: readonly string[];
  /** The format of its text, which is checked. @default any text */
  readonly format?: ParamFormat;
  /** A check of its text, instead of a format. Not a word of descriptions: only our own service has it. */
  readonly form?: TextForm;
  /** The least value. */
  readonly min?: number;
  /** The greatest value. */
  readonly max?: number;
}

export interface BatchSpec {
  /** How many ids a request takes. */
  readonly size: number;
  /** The dotted path of the field of a row that says which id it belongs to. */
  readonly id: string;
}

/** The TypeScript type of a parameter's value. */
export type ParamValue<P extends ParamSpec> = P['type'] extends keyof PlainValues
  ? PlainValues[P['type']]
  : P['type'] extends 'strings'
    ? readonly TextValue<P>[]
    : TextValue<P>;

interface PlainValues {
  integer: number;
  number: number;
  boolean: boolean;
  object: { readonly [key: string]: unknown };
  array: readonly unknown[];
}

type TextValue<P extends ParamSpec> = P extends { readonly oneOf: readonly (infer V)[] }
  ? V
  : P extends { readonly known: readonly (infer V)[] }
    ? V | (string & {})
    : string;

/** A condition between parameters. Not a word of descriptions: only our own service has some. */
export interface Rule {
  /** The condition as a sentence, for help. */
  readonly text: string;
  /** The parameters that it is about. */
  readonly params: readonly string[];
  /** Returns what is wrong with a query. Ignores values that are invalid by themselves, because other checks report them. */
  readonly broken: (query: { readonly [param: string]: unknown }) => QueryIssue | undefined;
}

/** The formats of a response's body: the media type to request, and whether each of its lines is a row. */
export const bodyFormats = {
  json: { mediaType: 'application/json', linesAreRows: false },
  ndjson: { mediaType: 'application/x-ndjson', linesAreRows: true },
  csv: { mediaType: 'text/csv', linesAreRows: true },
  xml: { mediaType: 'application/xml', linesAreRows: false },
} as const;

export type BodyFormat = keyof typeof bodyFormats;

/** A problem with one parameter of a query. */
export interface QueryIssue {
  readonly param: string;
  /** Names the parameter, the given value, and what is allowed. */
  readonly message: string;
}
