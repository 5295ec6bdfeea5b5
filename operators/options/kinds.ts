import { type InnerOptions, OptionKind } from './OptionSet.ts';
import { checkValue, type OptionSet } from './OptionSet.ts';

interface WholeRange {
  readonly from: number;
  /** @default any; Infinity is allowed too */
  readonly to?: number;
  /** Infinity isn't allowed. @default false */
  readonly finite?: true;
}

interface NumberRange {
  readonly from?: number;
  /** All values are larger. Give this or `from`. */
  readonly above?: number;
  /** @default any; Infinity is allowed too */
  readonly to?: number;
}

export function whole({ from, to, finite }: WholeRange): OptionKind<number, undefined> {
  const last = to ?? (finite === true ? Number.MAX_SAFE_INTEGER : Infinity);
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) || value === Infinity;
  return like(
    `a whole number from ${from} ${to === undefined ? 'on' : `to ${to}`}`,
    (value) => isWhole(value) && value >= from && value <= last,
  );
}

export function number({ from, above, to }: NumberRange = {}): OptionKind<number, undefined> {
  const isAbove = (value: number): boolean => (above === undefined ? value >= (from ?? -Infinity) : value > above);
  const least = from === undefined ? '' : ` from ${from} ${to === undefined ? 'on' : `to ${to}`}`;
  const range = above === undefined ? least : ` above ${above}${to === undefined ? '' : ` and at most ${to}`}`;
  return like(`a number${range}`, (value) => typeof value === 'number' && isAbove(value) && value <= (to ?? Infinity));
}

export function oneOf<const V extends string>(...values: readonly V[]): OptionKind<V, undefined> {
  const words = values.map((value) => `'${value}'`);
  const before = words.slice(0, -1).join(', ');
  const takes = before === '' ? words.join() : `${before} or ${words.at(-1)}`;
  return new OptionKind(takes, (value) => (values as readonly unknown[]).includes(value), undefined, { words: values });
}

export function flag(): OptionKind<boolean, undefined> {
  return like('true or false', (value) => typeof value === 'boolean');
}

/** A text that isn't empty. `takes`: which one, in words. */
export function text(takes = 'a text that is not empty'): OptionKind<string, undefined> {
  return like(takes, (value) => typeof value === 'string' && value !== '' && !value.includes('\0'));
}

/** A function. `takes`: which one, in words. */
export function callback<V>(takes = 'a function'): OptionKind<V, undefined> {
  return like(takes, (value) => typeof value === 'function');
}

/** An object that has these methods, and `takes` in words. */
export function having<V>(takes: string, ...methods: readonly string[]): OptionKind<V, undefined> {
  const has = (value: object, method: string): boolean => typeof (value as { readonly [name: string]: unknown })[method] === 'function';
  return like(takes, (value) => isThing(value) && methods.every((method) => has(value, method)));
}

/** An AbortSignal, of any realm. */
export function signal(): OptionKind<AbortSignal, undefined> {
  return having('an AbortSignal', 'addEventListener');
}

/** An object of options. Those in it are named `outer.inner`. */
export function group<V extends object>(inside: OptionSet): OptionKind<V, undefined> {
  return new OptionKind('an object of options', isThing, undefined, { inside });
}

/** An object whose values are all of one kind. `key`: what their names are. They are named `outer.name` or `outer[a name]`. */
export function tableOf<V>(kind: OptionKind<V>, key?: OptionKind<string>): OptionKind<{ readonly [name: string]: V }, undefined> {
  const check: InnerOptions['check'] = (caller, given, outer, onName) => {
    for (const [name, value] of Object.entries(given)) {
      const path = /^[A-Za-z_$][\w$]*$/.test(name) ? outer + name : `${outer.slice(0, -1)}[${name}]`;
      if (key !== undefined) checkValue(caller, key, name, path, onName);
      checkValue(caller, kind, value, path, onName);
    }
  };
  return new OptionKind('an object', isPlain, undefined, { inside: { check, entries: kind } });
}

/** A list whose entries are all of one kind. */
export function listOf<V>(kind: OptionKind<V>): OptionKind<readonly V[], undefined> {
  const check: InnerOptions['check'] = (caller, given, outer, onName) => {
    for (const [index, value] of (given as readonly unknown[]).entries())
      checkValue(caller, kind, value, `${outer.slice(0, -1)}[${index}]`, onName);
  };
  return new OptionKind(`a list, each entry ${kind.takes}`, Array.isArray, undefined, { inside: { check, entries: kind } });
}

/** A value of any of the kinds. */
export function either<const Kinds extends readonly OptionKind[]>(
  ...kinds: Kinds
): OptionKind<NonNullable<Kinds[number]['value']>, undefined> {
  const kindOf = (value: unknown): OptionKind | undefined => kinds.find(({ fits }) => fits(value));
  const check: InnerOptions['check'] = (caller, given, outer, onName) =>
    checkValue(caller, kindOf(given)!, given, outer.slice(0, -1), onName);
  const takes = kinds.map((kind) => kind.takes).join(', or ');
  const words = kinds.flatMap(({ more }) => more.words ?? []);
  return new OptionKind(takes, (value) => kindOf(value) !== undefined, undefined, { inside: { check, choices: kinds }, words });
}

/** Any value: the function checks it itself. */
export function anything<V>(): OptionKind<V, undefined> {
  return like('anything', () => true);
}

/** A value that passes a test. `takes`: which one, in words. */
export function like<V>(takes: string, fits: (value: unknown) => boolean): OptionKind<V, undefined> {
  return new OptionKind(takes, fits, undefined);
}

function isThing(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isPlain(value: unknown): value is object {
  return isThing(value) && !Array.isArray(value);
}
