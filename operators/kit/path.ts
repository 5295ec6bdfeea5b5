import { getOrInsert } from './once.ts';
import { ownValue } from './ownValue.ts';

/** A field of a row: its dotted path, and the path as keys, with `'[]'` for each element of a list. */
export interface FieldPath {
  readonly path: string;
  readonly keys: readonly string[];
}

/** Whether a path is one of these fields, or inside of one. */
export function isPartOf({ path }: { readonly path: string }, fields: readonly { readonly path: string }[]): boolean {
  return fields.some((one) => `${path}.`.startsWith(`${one.path}.`));
}

/** A part of a path that picks an entry of a list by one of its fields: `link[relation=next].url`. */
const pick = /^([^[\]]+)\[([^=[\]]+)=([^[\]]+)\](?:\.(.+))?$/;

/** The field and the value that pick an entry. */
interface Picked {
  readonly field: string;
  readonly value: string;
}

/** The same, with the path of the list before it, and the rest of the path after it. */
export interface Pick extends Picked {
  readonly list: string;
  readonly rest: string | undefined;
}

/** The first part of a path that picks an entry. undefined: there is none. */
export function pickIn(path: string): Pick | undefined {
  const [, list, field, value, rest] = path.includes('=') ? (pick.exec(path) ?? []) : [];
  return list === undefined ? undefined : { list, field: field!, value: value!, rest };
}

/** Whether an entry has the value that picks it. */
export const isPicked =
  ({ field, value }: Picked) =>
  (entry: unknown): boolean =>
    String(ownValue(entry, field)) === value;

/** One step: to a field, to each entry of a list, or to the first that is picked. `rest`: the path from here on, if it has dots. */
type Step = { readonly name: string; readonly rest: string | undefined } | 'each' | Picked;

/** The first part of a path, and the dot behind it: a name, its brackets, and the field and the value that pick an entry. */
const part = /^([^.[\]]*)(\[(?:([^=[\]]+)=([^[\]]+))?\])?(?:\.|$)/;
/** The same for a name that contains brackets. */
const oddPart = /^([^.]*)(?:\.|$)/;

function stepsOf(path: string): readonly Step[] {
  const steps: Step[] = [];
  let rest = path;
  do {
    const [text, name = '', brackets, field, value] = part.exec(rest) ?? oddPart.exec(rest)!;
    if (name !== '' || brackets === undefined) steps.push({ name, rest: rest === name ? undefined : rest });
    if (field !== undefined) steps.push({ field, value: value! });
    else if (brackets !== undefined) steps.push('each');
    rest = rest.slice(text!.length);
  } while (rest !== '');
  return steps;
}

const known = new Map<string, readonly Step[]>();

/**
 * The values at a path: a name, or several with dots, `[]` for each entry of a list, `[field=value]` for the entry that has this value. A
 * number is the index of an entry. Reads own properties only. A name may contain dots, as in rows of a CSV file or in `@odata.nextLink`:
 * if the rest of the path is the name of a field, that field counts. An empty list if there is no such field.
 */
export function valuesAt(data: unknown, path: string): unknown[] {
  const found: unknown[] = [];
  follow(data, getOrInsert(known, path, stepsOf), 0, found);
  return found;
}

/** The first of the values at a path. */
export function valueAt(data: unknown, path: string): unknown {
  return /[.[]/.test(path) ? valuesAt(data, path)[0] : ownValue(data, path);
}

function follow(data: unknown, steps: readonly Step[], from: number, found: unknown[]): void {
  let value = data;
  for (let at = from; at < steps.length; at++) {
    const step = steps[at]!;
    if (step === 'each') {
      if (Array.isArray(value)) for (const entry of value) follow(entry, steps, at + 1, found);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if ('field' in step) value = Array.isArray(value) ? value.find(isPicked(step)) : undefined;
    else {
      const { name, rest } = step;
      if (rest !== undefined && Object.hasOwn(value, rest)) return void found.push((value as Fields)[rest]);
      if (!Object.hasOwn(value, name)) return;
      value = (value as Fields)[name];
    }
  }
  if (value !== undefined) found.push(value);
}

interface Fields {
  readonly [field: string]: unknown;
}

/** A value as text. Objects and lists become JSON, null and undefined become an empty text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field of a row as text: that of this name, which may have dots, else what is at this path. */
export function rowText(row: object, name: string): string {
  const own = ownValue(row, name);
  return textOf(own === undefined ? valueAt(row, name) : own);
}

/** Not `0x1F` or a blank, which JavaScript takes for numbers. */
const decimal = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** The number that a text is. NaN: it is none. */
export function numberOf(text: string): number {
  return decimal.test(text) ? Number(text) : Number.NaN;
}

/** The keys of `a.b[].c`. undefined if it isn't a path. */
export function parsePath(path: string): FieldPath | undefined {
  const keys: string[] = [];
  for (const part of path.split('.')) {
    const name = part.endsWith('[]') ? part.slice(0, -2) : part;
    if (name === '' || /[[\]]/.test(name)) return undefined;
    keys.push(name);
    if (name !== part) keys.push('[]');
  }
  return { path, keys };
}

/** Whether a value is there and isn't empty: no null, empty text, empty list or empty object. */
export function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Whether a value can be that of a parameter. */
export function isGiven(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}
