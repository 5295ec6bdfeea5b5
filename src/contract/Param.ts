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

/** One parameter of one operation, as data. */
export interface ParamSpec {
  readonly type: 'string' | 'integer' | 'boolean';
  /** What it means, in a few words. */
  readonly about: string;
  readonly required?: true;
  /** The documented default. It is shown, but not sent unless given. */
  readonly default?: string | number | boolean;
  /** The only allowed values. */
  readonly oneOf?: readonly string[];
  /** Documented values, if others exist too. */
  readonly known?: readonly string[];
  /** Several of `oneOf`, separated by commas. */
  readonly several?: true;
  readonly format?: ParamFormat;
  readonly min?: number;
  readonly max?: number;
  /** The value is a multiple of this. */
  readonly step?: number;
  /** A value from an earlier response of the service. */
  readonly from?: string;
  /** Such a value expires: which operation returns it, where in its data, and how long it is valid. */
  readonly expires?: { readonly operation: string; readonly at: string; readonly afterMs: number };
}

/** The TypeScript type of a parameter's value. */
export type ParamValue<P extends ParamSpec> = P['type'] extends 'integer'
  ? number
  : P['type'] extends 'boolean'
    ? boolean
    : P extends { readonly several: true }
      ? string
      : P extends { readonly oneOf: readonly (infer V)[] }
        ? V
        : P extends { readonly known: readonly (infer V)[] }
          ? V | (string & {})
          : string;
