import { parsedUrl } from './kit/parsedUrl.ts';
import { inWords, instead } from './check/nearestName.ts';
import { isFilled, numberOf, parsePath, textOf, valuesAt, type FieldPath } from './kit/path.ts';

type Scalar = string | number | boolean | null;

/** Comparisons that must all be true of a value. */
export interface Comparisons {
  readonly '='?: Scalar | undefined;
  readonly '!='?: Scalar | undefined;
  readonly '>'?: number | string | undefined;
  readonly '>='?: number | string | undefined;
  readonly '<'?: number | string | undefined;
  readonly '<='?: number | string | undefined;
  /** The field is there, and neither null nor an empty text, list or object. */
  readonly exists?: boolean | undefined;
  /** A text that has this in it, whether the letters are large or small. */
  readonly contains?: string | undefined;
  /** An address of this site, or of one below it: `example.com` is also `https://www.example.com/page`. */
  readonly domain?: string | undefined;
}

/** One value, a list of allowed values, or comparisons that must all be true. */
export type Condition = Scalar | readonly Scalar[] | Comparisons;

/** What fields of a row must be, by their dotted paths. */
export interface RowConditions {
  readonly [path: string]: Condition;
}

/** A field, and what its value must be. */
export type FieldTest = readonly [field: FieldPath, condition: Condition];

const comparisons = ['=', '!=', '>', '>=', '<', '<=', 'exists', 'contains', 'domain'] as const satisfies readonly (keyof Comparisons)[];

/** The tests of conditions. A RangeError, if they aren't conditions. */
export function testsOf(caller: string, conditions: RowConditions): readonly FieldTest[] {
  return Object.entries(conditions).map(([path, condition]) => {
    const field = parsePath(path);
    if (field === undefined) throw new RangeError(`${caller}: ${inWords(path)} isn't a path: write field or object.field`);
    const names = typeof condition === 'object' && condition !== null && !Array.isArray(condition) ? Object.keys(condition) : [];
    for (const name of names) {
      if ((comparisons as readonly string[]).includes(name)) continue;
      throw new RangeError(`${caller}: no comparison of ${path} is called ${inWords(name)}${instead(name, comparisons)}`);
    }
    return [field, condition] as const;
  });
}

/** Whether a row passes all tests. A field that covers a list passes if one element does. */
export function isWanted(row: object, tests: readonly FieldTest[]): boolean {
  return tests.every(([field, condition]) => {
    const values = eachValue(row, field);
    return values.length === 0 ? fulfils(undefined, condition, true) : values.some((value) => fulfils(value, condition));
  });
}

/** The values of a field. An absent field is one undefined value. A list without elements has no values. */
function eachValue(row: object, { path }: FieldPath): readonly unknown[] {
  const end = path.lastIndexOf('[]') + 2;
  if (end === 1 || Object.hasOwn(row, path)) return orAbsent(valuesAt(row, path));
  const elements = valuesAt(row, path.slice(0, end));
  const rest = path.slice(end + 1);
  if (rest === '') return elements;
  return elements.flatMap((element) => orAbsent(isFilled(element) ? valuesAt(element, rest) : []));
}

function orAbsent(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? [undefined] : values;
}

/** `none`: the field is a list without elements. */
function fulfils(value: unknown, condition: Condition, none: boolean = false): boolean {
  if (Array.isArray(condition)) return condition.some((one) => same(value, one as unknown));
  if (typeof condition !== 'object' || condition === null) return same(value, condition);
  return Object.entries(condition).every(([comparison, than]: [string, unknown]) => {
    switch (comparison) {
      case '=':
        return same(value, than);
      case '!=':
        return !none && !same(value, than);
      case 'exists':
        return isFilled(value) === than;
      case 'contains':
        return textOf(value).toLowerCase().includes(String(than).toLowerCase());
      case 'domain':
        return isOnSite(textOf(value), String(than));
      default:
        return compares(value, comparison, than as number | string);
    }
  });
}

/** Absent equals null. A number equals its text, since a CSV file has only text. */
function same(value: unknown, other: unknown): boolean {
  if (value === undefined || value === null) return other === null;
  return value === other || (typeof value !== 'object' && other !== null && textOf(value) === textOf(other));
}

/** Whether an address is one of a site, or of one below it. */
function isOnSite(address: string, site: string): boolean {
  const [host, wanted] = [hostOf(address), hostOf(site)];
  return host !== undefined && wanted !== undefined && (host === wanted || host.endsWith(`.${wanted}`));
}

/** The host of an address, which may lack its scheme, and may have more words behind it: `example.com › news`. */
function hostOf(address: string): string | undefined {
  const [first = ''] = address.trim().split(/[\s›]/, 1);
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(first) ? first : `http://${first.replace(/^\/\//, '')}`;
  const host = parsedUrl(url)?.hostname ?? '';
  return host === '' ? undefined : host.replace(/\.$/, '');
}

function compares(value: unknown, comparison: string, than: number | string): boolean {
  if (!isFilled(value)) return false;
  const [left, right] =
    typeof than === 'number' ? [typeof value === 'number' ? value : numberOf(textOf(value)), than] : [textOf(value), than];
  switch (comparison) {
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    default:
      throw new RangeError(`isWanted: no comparison is called ${comparison}`);
  }
}
