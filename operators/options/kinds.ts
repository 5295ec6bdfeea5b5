import { OptionKind } from './OptionKind.ts';
import { optionError, type OptionSet } from './OptionSet.ts';

interface WholeRange {
  readonly from: number;
  /** @default any; Infinity is allowed too */
  readonly to?: number;
  /** Infinity isn't allowed. @default false */
  readonly finite?: true;
}

interface NumberRange {
  /** The least value. Give this or `above`. */
  readonly from?: number;
  /** All values are larger. */
  readonly above?: number;
  /** @default any; Infinity is allowed too */
  readonly to?: number;
}

/** A whole number in a range. */
export function whole({ from, to, finite }: WholeRange): OptionKind<number, undefined> {
  const last = to ?? (finite === true ? Number.MAX_SAFE_INTEGER : Infinity);
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) || value === Infinity;
  return like(
    `a whole number from ${from} ${to === undefined ? 'on' : `to ${to}`}`,
    (value) => isWhole(value) && value >= from && value <= last,
  );
}

/** A number in a range. */
export function number({ from, above, to }: NumberRange): OptionKind<number, undefined> {
  const isAbove = (value: number): boolean => (above === undefined ? value >= (from ?? -Infinity) : value > above);
  const range =
    above === undefined
      ? `from ${from} ${to === undefined ? 'on' : `to ${to}`}`
      : `above ${above}${to === undefined ? '' : ` and at most ${to}`}`;
  return like(`a number ${range}`, (value) => typeof value === 'number' && isAbove(value) && value <= (to ?? Infinity));
}

/** One of a few texts. */
export function oneOf<const V extends string>(...values: readonly V[]): OptionKind<V, undefined> {
  const words = values.map((value) => `'${value}'`);
  const before = words.slice(0, -1).join(', ');
  return like(before === '' ? words.join() : `${before} or ${words.at(-1)}`, (value) => (values as readonly unknown[]).includes(value));
}

/** True or false. */
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
  return new OptionKind('an object of options', isThing, undefined, inside);
}

/** An object whose values are all of one kind, by any name. They are named `outer[name]`. */
export function tableOf<V>(kind: OptionKind<V>): OptionKind<{ readonly [name: string]: V }, undefined> {
  const check = (caller: string, given: object, outer: string): void => {
    for (const [name, value] of Object.entries(given))
      if (!kind.fits(value)) throw optionError(caller, `${outer.slice(0, -1)}[${name}]`, kind.takes, value);
  };
  return new OptionKind('an object', isThing, undefined, { check });
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
