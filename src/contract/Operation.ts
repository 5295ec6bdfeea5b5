import type { BodyFormat, Method, ParamSpec, ParamValue, QueryValue, Rule } from './Param.ts';
import type { FailureSpec } from './FailureSpec.ts';
import type { EnvelopeSpec, JobSpec } from './EnvelopeSpec.ts';
import type { OuterColumns } from '../../operators/walk/rowsAt.ts';
import type { TimeForm } from '../../operators/kit/writeTime.ts';
import type { CursorPaging } from '../../operators/walk/paging/cursorPaging.ts';
import type { LastPaging } from '../../operators/walk/paging/lastPaging.ts';
import type { MergePaging } from '../../operators/walk/paging/mergePaging.ts';
import type { CountedPaging, Paging, SinglePage } from '../../operators/walk/paging/pagingKinds.ts';
import type { WalkedOperation } from '../../operators/walk/WalkedOperation.ts';
import type { AsRow, RowIn, ValueAt } from '../../operators/RowAt.ts';
import type { OwnPaging, PagingWords } from './PagingWords.ts';
import type { SearchOperation } from './SearchWords.ts';
import type { ResponseOfRow } from './responseOfRow.ts';
import type { GivenTimeName } from './timeParams.ts';
import type { TypeOf, Flat, ObjectShape, Shape } from './Shape.ts';

/** An operation as data: everything that the library knows about it. */
export interface OperationSpec extends WalkedOperation, PagingWords, SearchOperation {
  /** What errors, events and help call it. @default its key in `operations` of the service */
  readonly name: string;
  /**
   * Operations of one group are listed together in help and reference. If the service has a limit for the group in `limits`, they share
   * it.
   * @default none
   */
  readonly group?: string;
  /** What it returns, in a sentence. @default none */
  readonly about?: string;
  /**
   * The path of a GET, after that of the service. An operation has `get` or `post`. `${name}` stands for the value of a parameter, here
   * and in all texts of the request.
   */
  readonly get?: `/${string}`;
  /** The path of a POST. It must only read, because it is retried like a GET. */
  readonly post?: `/${string}`;
  /**
   * The fields of the address after the path. A parameter that no text of the request mentions is sent under its own name: in the body of
   * `post`, else here.
   * @default the parameters
   */
  readonly query?: { readonly [field: string]: QueryValue };
  /** Sent with every request. @default none */
  readonly headers?: { readonly [name: string]: string };
  /** The body as JSON. @default none */
  readonly body?: { readonly [field: string]: unknown } | readonly unknown[];
  /** The body as a form. @default none */
  readonly form?: { readonly [field: string]: QueryValue };
  /** The format of its responses. The rows of `ndjson` and `csv` are the data, so `rows` is ''. @default 'json' */
  readonly format?: BodyFormat;
  /** Its rows come later, at an address that the first response names. @default the first response has them */
  readonly job?: JobSpec;
  /** false: a request that may have arrived isn't retried. Not a word of descriptions: the proxy sets it for unknown requests. */
  readonly repeatable?: boolean;
  /** By name, in documented order. */
  readonly params: { readonly [name: string]: ParamSpec };
  /** Conditions between its parameters. Not a word of descriptions. @default none */
  readonly rules?: readonly Rule[];
  /** The shape of `data`. @default only the rows, as `row` says */
  readonly response: ObjectShape | readonly [Shape] | { readonly $oneOf: readonly [readonly [Shape], ObjectShape] };
  /** The shape of a row, if the rest of the response doesn't matter. Instead of `response`. @default it is in the response */
  readonly row?: Shape;
  /** What its responses mean. These rules are tried before those of the service. @default those of the service */
  readonly failures?: readonly FailureSpec[];
  /** How its responses wrap their data. Its fields replace those of the service. @default as the service says */
  readonly envelope?: EnvelopeSpec;
  /**
   * The dotted path of the rows in `data`. '' if `data` is the list. null if `data` is itself the only row. `children[].data`: a row, or a
   * list of rows, in each entry of the list `children`. Paging counts the entries of `children`. `data.0.hits`: the list in the first one.
   * Plain values become rows with the column `value`.
   */
  readonly rows: string | null;
  /**
   * The column that takes the keys, if `rows` is an object whose members are the rows. No row may have such a field.
   * @default the rows are a list
   */
  readonly keyed?: string;
  /**
   * Columns that each row gets from the object that holds its list: the entry before `[]` in `rows`, else `data`. A list of field names, or
   * the path of each column: `{ order: 'id' }`. No row may have such a field.
   * @default none
   */
  readonly outer?: OuterColumns;
  /**
   * The dotted path of the field that says when a row was made or last changed. If it is neither a date nor a time since 1970, also how it
   * is written: `{ at: 'hour', as: 'YYYYMMDDHH' }`.
   */
  readonly time?: string | TimeSpec;
  /** The most days that one request may be for, such as `31d`. It makes `${from}` and `${to}` required. @default no limit, no bounds */
  readonly most?: string;
  /** The parameter that orders the rows of a query, and its value for newest first, by the field `time`: `{ sort: 'newest' }`. */
  readonly order?: { readonly [param: string]: string };
  /** Responses of another shape, selected by the value of one parameter. `'*'` is any other value. Not a word of descriptions. */
  readonly variants?: VariantsSpec;
  /** Paging that only our own service has. Not a word of descriptions. */
  readonly ownPaging?: OwnPaging;
}

/** The field that says when a row was made or last changed. */
export interface TimeSpec {
  /** The dotted path of the field in a row. */
  readonly at: string;
  /** How it is written: 'seconds', 'ms', 'date', 'compactDate', or a pattern such as `YYYY-MM-DD HH:mm`, in UTC. */
  readonly as: TimeForm;
}

interface VariantsSpec {
  /** The parameter whose value selects the shape. */
  readonly param: string;
  /** By value: the `response` and the `rows` of such a query. */
  readonly values: { readonly [value: string]: { readonly response: Shape; readonly rows: string | null } };
}

type MayFollow = 'name' | 'params' | 'response';
/** An operation as it is described. Its name may be left out: it is the key in `operations` of its service. */
export type OperationInput = Omit<OperationSpec, MayFollow | keyof SearchOperation | Exclude<OwnWord, 'ownPaging' | 'repeatable'>> &
  Partial<Pick<OperationSpec, MayFollow>>;

/** The fields of an operation that only our own service has. A description can't have them. */
export type OwnWord = 'rules' | 'variants' | 'paging' | 'claims' | 'ownPaging' | 'repeatable';

/** The type of a described operation, with everything that follows from its description. */
export type MadeOf<S extends OperationInput> = S & {
  readonly name: string;
  readonly params: ParamsOf<S>;
  readonly response: ResponseOf<S>;
  readonly paging: PagingOf<S>;
} extends infer Spec extends OperationSpec
  ? Spec
  : never;

type Texts<Part> = Part extends string
  ? Part
  : Part extends readonly (infer Entry)[]
    ? Texts<Entry>
    : Part extends object
      ? { [field in keyof Part]: Texts<Part[field]> }[keyof Part]
      : never;
type TextsOf<S extends OperationInput> = Texts<Pick<S, keyof S & (Method | 'query' | 'headers' | 'body' | 'form')>>;
type PlaceOf<Name extends string> = `${string}\${${Name}${'}' | ':' | '.'}${string}`;
/** How an operation pages, as far as its texts and words are known to the compiler. */
type PagingOf<S extends OperationInput> =
  string extends TextsOf<S>
    ? Paging
    : [Extract<TextsOf<S>, PlaceOf<'page' | 'offset'>>] extends [never]
      ? [Extract<TextsOf<S>, PlaceOf<'last'>>] extends [never]
        ? S extends { readonly merge: unknown }
          ? MergePaging
          : S extends { readonly next: unknown }
            ? CursorPaging
            : SinglePage
        : LastPaging
      : CountedPaging;

/** The parameters that are listed, and those that times in texts make. */
type ParamsOf<S extends OperationInput> = (S['params'] extends object ? S['params'] : {}) & TimeParamsOf<S>;
type TimePlace<Name extends string> = `${string}\${${Name}${'}' | ':' | '-' | '+'}${string}`;
type TimeParamsOf<S extends OperationInput> =
  string extends TextsOf<S>
    ? {}
    : {
        readonly [Name in GivenTimeName as [Extract<TextsOf<S>, TimePlace<Name>>] extends [never] ? never : Name]: NeedsTime<
          S,
          Name
        > extends true
          ? { readonly type: 'string'; readonly required: true }
          : { readonly type: 'string' };
      };
/** Whether a time must be given: if it is in the path, or if `most` makes the bounds required. */
type NeedsTime<S extends OperationInput, Name> = [Extract<Texts<Pick<S, keyof S & Method>>, TimePlace<Name & string>>] extends [never]
  ? S extends { readonly most: string }
    ? Name extends 'since'
      ? false
      : true
    : false
  : true;
type RequiredParam<Params> = { [K in keyof Params]: Params[K] extends { readonly required: true } ? K : never }[keyof Params];
type ValueOf<Param> = Param extends ParamSpec ? ParamValue<Param> : never;
type QueryWith<Params> = Flat<
  { readonly [K in RequiredParam<Params>]: ValueOf<Params[K]> } & {
    readonly [K in Exclude<keyof Params, RequiredParam<Params>>]?: ValueOf<Params[K]> | undefined;
  }
>;
/** The query of an operation, in the service's wire names. */
export type QueryOf<S extends OperationInput> = QueryWith<ParamsOf<S>>;

type ResponseOf<S extends OperationInput> = S['response'] extends object ? S['response'] : ResponseOfRow<S['rows'], S['row'], S['keyed']>;

export type DataOf<S extends OperationInput> = TypeOf<ResponseOf<S>>;

/**
 * The element type of the list at `Path` in `Data` ('' is `Data` itself). For null: `Data`. For an undocumented list: an
 * open record.
 */
export type RowAt<Data, Path extends string | null, Keyed = undefined> = Path extends string
  ? Keyed extends string
    ? MemberOf<NonNullable<Path extends '' ? Data : ValueAt<Data, Path>>, Keyed>
    : RowIn<Data, Path>
  : Data;
/** The type of the object that holds a list. */
type Holder<Data, Path> = Path extends `${infer List}[]${infer Inner}`
  ? Inner extends `${string}[]${string}`
    ? unknown
    : NonNullable<List extends '' ? Data : ValueAt<Data, List>> extends readonly (infer Entry)[]
      ? Entry
      : unknown
  : Data;
type Around<From, Outer> = Outer extends readonly (infer Column extends string)[]
  ? { readonly [column in Column]: ValueAt<From, column> }
  : { readonly [column in keyof Outer]: Outer[column] extends string ? ValueAt<From, Outer[column]> : unknown };
/** The members of an object as rows, with their key as a column. */
type MemberOf<Members, Key extends string> = Flat<{ readonly [key in Key]: string } & AsRow<NonNullable<Members[keyof Members]>>>;

export type RowOf<S extends OperationInput> = S extends { readonly columns: infer Columns extends object }
  ? Renamed<FoundRow<S>, Columns>
  : FoundRow<S>;
type FoundRow<S extends OperationInput> = S['outer'] extends infer Outer extends OuterColumns
  ? Flat<Around<Holder<DataOf<S>, S['rows']>, Outer> & RowAt<DataOf<S>, S['rows'], S['keyed']>>
  : RowAt<DataOf<S>, S['rows'], S['keyed']>;
/** A row with renamed columns. The compiler doesn't know those inside of objects. */
type Renamed<Row, Columns extends object> = Flat<
  Omit<Row, Columns[keyof Columns] & string> & {
    readonly [column in keyof Columns as column extends `${string}.${string}` ? never : column]: ValueAt<Row, Columns[column] & string>;
  }
>;

/** An operation: its spec, and the two parts of it that are used most. */
export interface Operation<S extends OperationSpec = OperationSpec> {
  readonly spec: S;
  readonly name: S['name'];
  readonly params: S['params'];
}

const hidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** A value for messages: at most 80 characters, without those that control a terminal. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return shorten(`"${escape(value.length > 80 ? value.slice(0, 80) : value)}"`);
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Replaces control characters, format characters and lone surrogates by escapes. */
function escape(text: string): string {
  return text.replace(hidden, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Cuts a text after 80 characters. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
