import type { ParamSpec, ParamValue, QueryValue } from './Param.ts';
import type { WalkedOperation } from '../../operators/walk/WalkedOperation.ts';
import type { RowIn, ValueAt } from '../../operators/RowAt.ts';
import type { TypeOf, Flat, ObjectShape, Shape } from './Shape.ts';

/** One operation as data: everything that the library knows about it. */
export interface OperationSpec extends WalkedOperation {
  /** What errors, events and help call it. @default its key in `operations` of the service */
  readonly name: string;
  /** Its heading in help and reference. @default the name */
  readonly title?: string;
  /**
   * Operations of one group stand together in help and reference. If the service has `groups`, it is one of them, and they share its
   * limit.
   * @default none
   */
  readonly group?: string;
  /** What a request takes of the limit. `maxRequests` counts it as one. @default 1 */
  readonly cost?: number;
  /** Path after the service's base path. `{param}` stands for the value of a parameter. */
  readonly path: `/${string}`;
  /** What it returns, in a sentence. @default none */
  readonly about?: string;
  /** A POST reads: it is retried like a GET, unless `repeatable` is false. @default 'GET' */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** What every body has. @default nothing */
  readonly body?: { readonly [key: string]: unknown };
  /** How its body is written. @default 'json' */
  readonly bodyAs?: 'json' | 'form';
  /** The format of its responses. The rows of `ndjson` and `csv` are the data, so `list` is ''. @default 'json' */
  readonly format?: BodyFormat;
  /** Its responses come later, at an address that the first one names. @default they come at once */
  readonly job?: JobSpec;
  /** Parameters of every request that nobody has to give. Those that `params` doesn't have are in the address. @default none */
  readonly fixed?: { readonly [param: string]: QueryValue };
  /** Sent with every request. @default none */
  readonly headers?: { readonly [name: string]: string };
  /** false: a request that may have arrived is not retried. @default true */
  readonly repeatable?: boolean;
  /**
   * The service knows conditional requests: a stored response that is too old is requested with its `ETag` and `Last-Modified`, and
   * is good again after a 304. @default false
   */
  readonly conditional?: boolean;
  /** By name, in documented order. */
  readonly params: { readonly [name: string]: ParamSpec };
  /** What must be true between its parameters. @default none */
  readonly rules?: readonly Rule[];
  /** The shape of `data`. */
  readonly response: ObjectShape | readonly [Shape];
  /** How its responses wrap their data, where that isn't as the service says. @default as the service says */
  readonly envelope?: EnvelopeSpec;
  /**
   * The dotted path of the rows in `data`. '' if `data` is the list. null if `data` is the one row. `children[].data`: what each
   * entry of a list has there, and if that is a list, its entries.
   */
  readonly list: string | null;
  /** The rows are the members of the object at `list`, and their keys become this column. @default the rows are a list */
  readonly keyed?: string;
  /**
   * The parameter that orders the rows of a query. `newest` is its value for newest first, by the field `time`, whose
   * texts sort as times do.
   */
  readonly order?: OrderSpec;
  /** Responses of another shape, selected by the value of one parameter. `'*'` is any value. */
  readonly variants?: VariantsSpec;
}

export interface OrderSpec {
  /** The parameter that orders rows. */
  readonly param: string;
  /** Its value for newest first. @default the service has no such order */
  readonly newest?: string;
  /** The field that says when a row is from. Its texts sort as times do. */
  readonly time?: string;
}

export interface VariantsSpec {
  /** The parameter whose value selects the shape. */
  readonly param: string;
  /** By value: the `response` and the `list` of such a query. */
  readonly values: { readonly [value: string]: { readonly response: Shape; readonly list: string | null } };
}

type RequiredParam<S extends OperationSpec> = {
  [K in keyof S['params']]: S['params'][K] extends { readonly required: true } ? (K extends keyof S['fixed'] ? never : K) : never;
}[keyof S['params']];

/** An operation as it is described. Its name may be left out: it is the key in `operations` of its service. */
export type OperationInput = Omit<OperationSpec, 'name'> & { readonly name?: string };

export type Named<S extends OperationInput> = S extends OperationSpec ? S : S & { readonly name: string };

/** The query of an operation, in the service's wire names. */
export type QueryOf<S extends OperationSpec> = Flat<
  { readonly [K in RequiredParam<S>]: ParamValue<S['params'][K]> } & {
    readonly [K in Exclude<keyof S['params'], RequiredParam<S>>]?: ParamValue<S['params'][K]> | undefined;
  }
>;

export type DataOf<S extends OperationSpec> = TypeOf<S['response']>;

/**
 * The element type of the list at `Path` in `Data` ('' is `Data` itself). For null: `Data`. For an undocumented list: an
 * open record.
 */
export type RowAt<Data, Path extends string | null, Keyed = undefined> = Path extends string
  ? Keyed extends string
    ? MemberOf<NonNullable<Path extends '' ? Data : ValueAt<Data, Path>>, Keyed>
    : RowIn<Data, Path>
  : Data;
/** The members of an object as rows, with their key as a column. */
type MemberOf<Members, Key extends string> = Flat<{ readonly [key in Key]: string } & Member<NonNullable<Members[keyof Members]>>>;
type Member<Value> = Value extends readonly unknown[] | string | number | boolean ? { readonly value: Value } : Value;

export type RowOf<S extends OperationSpec> = RowAt<DataOf<S>, S['list'], S['keyed']>;

/** An operation: its spec, and the parts used most. */
export interface Operation<S extends OperationSpec = OperationSpec> {
  readonly spec: S;
  readonly name: S['name'];
  readonly params: S['params'];
}

/** An operation from data that is known to be right. Our own are checked by a test, not at every start. */
export function madeOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  const spec = (input.name === undefined ? { ...input, name: '' } : input) as unknown as Named<S>;
  return { spec, name: spec.name, params: spec.params };
}

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

/** A value that says what state a job is in. */
type JobValue = string | number | boolean;

/** Work that takes longer than a request: the first response names an address, which is requested until the rows are there. */
export interface JobSpec {
  /** The status of a response while the job isn't done. @default 202 */
  readonly status?: number;
  /** Where in the body of the first response the address is, as a dotted path. @default its header `location` */
  readonly at?: string;
  /** Where in the body its state is, and the values that mean that it is done, or has failed. @default done when the status is another one */
  readonly until?: JobState;
  /** The time between two requests, unless the service says how long to wait. @default 2000 */
  readonly everyMs?: number;
  /** The longest time until it is done. @default 600_000 */
  readonly maxMs?: number;
}

export interface JobState {
  /** Where the state is. */
  readonly at: string;
  /** The job is done, and its rows are there. */
  readonly is: readonly JobValue[];
  /** It has failed, and so has the query. @default none of its states */
  readonly failed?: readonly JobValue[];
}

export const usualJob = { status: 202, everyMs: 2000, maxMs: 600_000 } as const;

/** The formats of a response's body: the media type to request, and whether each of its lines is a row. */
export const bodyFormats = {
  json: { mediaType: 'application/json', linesAreRows: false },
  ndjson: { mediaType: 'application/x-ndjson', linesAreRows: true },
  csv: { mediaType: 'text/csv', linesAreRows: true },
  xml: { mediaType: 'application/xml', linesAreRows: false },
} as const;

export type BodyFormat = keyof typeof bodyFormats;

/** The column that the keys of an object of rows become, if the operation has its rows at this path in such an object. */
export function keyOfRows({ spec }: Operation, path: string | null): string | undefined {
  return path === spec.list ? spec.keyed : undefined;
}

/** Where the parts of a response are: dotted paths in the JSON body. */
export interface EnvelopeSpec {
  /** The data. @default the whole body */
  readonly data?: string | undefined;
  /** A code in the body, and its value for success. Any other value is an error, whatever the HTTP status. */
  readonly code?: EnvelopeCode | undefined;
  /** What is there, and not null, false, 0 or empty, if the request failed. Its own words are the message, if `message` has none. */
  readonly error?: string | undefined;
  /** The service's error message. */
  readonly message?: string | undefined;
  /** The service's name for the request. Errors and events have it, for its support. */
  readonly requestId?: string | undefined;
  /** When the service responded, in milliseconds since 1970. */
  readonly timestamp?: string | undefined;
}

export interface EnvelopeCode {
  /** Where the code is. */
  readonly at: string;
  /** The code of a response that didn't fail. */
  readonly good: number | string | boolean;
}
