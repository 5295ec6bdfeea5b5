/** The formats of string parameters. Each is one entry of `checkQuery/formats.ts`. */
export type ParamFormat =
  | 'date' //         2026-05-01, a day that exists
  | 'compactDate' //  20260501, a day that exists
  | 'year' //         2021
  | 'language' //     en, zh-CN
  | 'country' //      us
  | 'currency' //     USD
  | 'langRestrict' // lang_en
  | 'countryRestrict' // countryFR
  | 'coordinates' //  @40.74,-73.98,14z
  | 'number' //       a number as text: 12 or 12.5
  | 'count' //        a whole number as text: 0, 1, 2 …
  | 'ages' //         5,9,12
  | 'ids' //          33,67,101
  | 'citation' //     <author_id>:<article_key>
  | 'url';

export type ParamType = (typeof paramTypes)[number];
export const paramTypes = ['string', 'integer', 'number', 'boolean', 'strings', 'object', 'array'] as const;

export type ParamPart = (typeof paramParts)[number];
export const paramParts = ['path', 'query', 'header', 'body'] as const;

/** `repeat`: `a=1&a=2`. `comma`: `a=1,2`. `brackets`: `a[]=1&a[]=2`. */
export type ParamStyle = (typeof paramStyles)[number];
export const paramStyles = ['repeat', 'comma', 'brackets'] as const;

/** A value of a query. */
export type QueryValue = string | number | boolean | readonly unknown[] | { readonly [key: string]: unknown };

/** One parameter of one operation, as data. */
export interface ParamSpec {
  /** What its value is. `strings`: a list of texts. `object`, `array`: any JSON object or list. */
  readonly type: ParamType;
  /** What it means, in a few words. @default none */
  readonly about?: string;
  /** Where it is sent. @default the path that names it; the body of POST, PUT and PATCH; else the query of the address */
  readonly in?: ParamPart;
  /** Its dotted path in a JSON body: `variables.q`. @default its name */
  readonly at?: string;
  /** Its name in the request. @default its own name */
  readonly name?: string;
  /** How a list is written in an address or a form. @default 'repeat' */
  readonly style?: ParamStyle;
  /** The values of this many queries go in one request. For a list of ids. @default each query has its own request */
  readonly batch?: number;
  /** The dotted path of the field of a row that says which of these ids it belongs to. @default the operation's `id` */
  readonly match?: string;
  /** A query without it is refused. */
  readonly required?: true;
  /** The documented default. It is shown, but not sent unless given. */
  readonly default?: string | number | boolean;
  /** The only allowed values. */
  readonly oneOf?: readonly string[];
  /** Documented values, if others exist too. */
  readonly known?: readonly string[];
  /** Several of `oneOf`, separated by commas. */
  readonly several?: true;
  /** The form of its text, which is checked. @default any text */
  readonly format?: ParamFormat;
  /** The least value. */
  readonly min?: number;
  /** The greatest value. */
  readonly max?: number;
  /** The value is a multiple of this. */
  readonly step?: number;
  /** A value from an earlier response of the service. */
  readonly from?: string;
  /** Such a value expires. */
  readonly expires?: ExpirySpec;
}

export interface ExpirySpec {
  /** The operation that returns the value. */
  readonly operation: string;
  /** Where in its data the value is. */
  readonly at: string;
  /** How long it is valid. */
  readonly afterMs: number;
}

/** The TypeScript type of a parameter's value. */
export type ParamValue<P extends ParamSpec> = P['type'] extends keyof PlainValues
  ? PlainValues[P['type']]
  : P['type'] extends 'strings'
    ? readonly TextValue<P>[]
    : P extends { readonly several: true }
      ? string
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

/** A rule between parameters, as data. Each kind is one entry of `checkQuery/rules.ts`. */
export type Rule = CountRule | LaterRule | OrderRule | NeedRule;

/** A list has as many comma-separated values as another parameter says. */
interface CountRule {
  readonly kind: 'countOf';
  /** The parameter with the values. */
  readonly list: string;
  /** The parameter that says how many, or has it as its default. */
  readonly count: string;
}

/** One day is later than another. */
interface LaterRule {
  readonly kind: 'later';
  /** The parameter of the earlier day. */
  readonly earlier: string;
  /** The parameter of the later day. */
  readonly later: string;
  /** It may be the same day. */
  readonly same?: true;
}

/** One number is at least as high as another. Both are numbers as text. */
interface OrderRule {
  readonly kind: 'atLeast';
  /** The parameter of the lower number. */
  readonly low: string;
  /** The parameter of the higher number. */
  readonly high: string;
}

/** With one parameter, another is required. */
interface NeedRule {
  readonly kind: 'needs';
  /** The parameter that has others with it. */
  readonly param: string;
  /** Its value. @default any */
  readonly is?: string | boolean;
  /** The parameter that is then required. */
  readonly needs: string;
}

/** The formats of a response's body: the media type to request, and whether each of its lines is a row. */
export const bodyFormats = {
  json: { mediaType: 'application/json', linesAreRows: false },
  ndjson: { mediaType: 'application/x-ndjson', linesAreRows: true },
  csv: { mediaType: 'text/csv', linesAreRows: true },
  xml: { mediaType: 'application/xml', linesAreRows: false },
} as const;

export type BodyFormat = keyof typeof bodyFormats;
