import type { QueryIssue } from './checkQuery/QueryIssue.ts';
import type { SearchParam } from './SearchWords.ts';

/** The formats of string parameters. Each is one entry of `checkQuery/formats.ts`. */
export type ParamFormat =
  | 'date' //        2026-05-01, a day that exists
  | 'compactDate' // 20260501, a day that exists
  | 'time' //        a day that exists, or a date with time and zone
  | 'url';

/** What the text of a parameter must be. */
export interface TextForm {
  /** A valid value, in words that follow "must be". */
  readonly right: string;
  readonly test: (text: string) => boolean;
  /** Its JSON Schema, as far as possible. */
  readonly schema: { readonly pattern?: string; readonly format?: string };
}

/** The methods of requests, as descriptions have them. */
export const methods = ['get', 'post'] as const;
export type Method = (typeof methods)[number];

export type ParamType = (typeof paramTypes)[number];
export const paramTypes = ['string', 'integer', 'number', 'boolean', 'strings', 'object', 'array'] as const;

/** A value of a query. */
export type QueryValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

/** One parameter of one operation, as data. */
export interface ParamSpec extends SearchParam {
  /** What its value is. `strings`: a list of texts. `object`, `array`: any JSON object or list. */
  readonly type: ParamType;
  /** What it means, in a few words. @default none */
  readonly about?: string;
  /**
   * The values of this many queries go in one request. For a list of ids. `{ size: 50, id: 'video.id' }`: the field of a row that says
   * which of them it belongs to, where that isn't the `id` of the operation.
   * @default each query has its own request
   */
  readonly batch?: number | BatchSpec;
  /** A query without it is refused. */
  readonly required?: true;
  /** The documented default. It is shown, but not sent unless given. */
  readonly default?: string | number | boolean;
  /** The only allowed values. */
  readonly oneOf?: readonly string[];
  /** The format of its text, which is checked. @default any text */
  readonly format?: ParamFormat;
  /** The form of its text, where no format is. It is no word of descriptions: only our own service has it. */
  readonly form?: TextForm;
  /** The least value. */
  readonly min?: number;
  /** The greatest value. */
  readonly max?: number;
}

export interface BatchSpec {
  /** How many values a request takes. */
  readonly size: number;
  /** The dotted path of the field of a row that says which of these ids it belongs to. */
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

/** A rule between parameters. It is no word of descriptions: only our own service has some. */
export interface Rule {
  /** As a sentence. */
  readonly text: string;
  /** The parameters that it is about. */
  readonly params: readonly string[];
  /** What is wrong with a query. Values that are invalid by themselves are ignored. */
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
