import type { Condition } from '../definition/flowFormat.ts';
import type { FieldTest, FlowStage } from '../definition/Flow.ts';
import { isFilled, numberOf, textOf, valuesAt, type FieldPath } from '../../contract/valuesAt.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';

/** Whether a row passes all tests. A field that covers a list passes if one element does. */
export function isWanted(row: object, tests: readonly FieldTest[]): boolean {
  return tests.every(([field, condition]) => {
    const values = eachValue(row, field);
    return values.length === 0 ? fulfils(undefined, condition, true) : values.some((value) => fulfils(value, condition));
  });
}

/** The values of a field: undefined where it is absent, and none where the path runs over a list without elements. */
function eachValue(row: object, field: FieldPath): readonly unknown[] {
  const { path, keys } = field;
  const inList = keys.lastIndexOf('[]') + 1;
  if (inList === 0 || Object.hasOwn(row, path)) return orAbsent(valuesAt(row, field));
  const elements = valuesAt(row, { path, keys: keys.slice(0, inList) });
  const rest = keys.slice(inList);
  if (rest.length === 0) return elements;
  return elements.flatMap((element) =>
    orAbsent(isFilled(element) ? valuesAt(Object(element) as object, { path: rest.join('.'), keys: rest }) : []),
  );
}

function orAbsent(values: readonly unknown[]): readonly unknown[] {
  return values.length === 0 ? [undefined] : values;
}

/** `none`: no element of a list is compared. */
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

/** Counts the rows in which each expected field is filled. */
export function filledIn(stage: FlowStage, rows: readonly object[]): { readonly [field: string]: number } {
  return Object.fromEntries(stage.filled.map((field) => [field.path, rows.filter((row) => holds(row, field)).length]));
}

function holds(row: object, field: FieldPath): boolean {
  if (!(row instanceof LazyRow)) return valuesAt(row, field).some(isFilled);
  if (isFilled(row.field(field.path))) return true;
  const [first] = field.keys as readonly [string, ...string[]];
  return first !== field.path && holds({ [first]: row.field(first) }, field);
}
