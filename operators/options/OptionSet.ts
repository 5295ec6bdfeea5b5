import { ownValue } from '../kit/ownValue.ts';
import { inWords, nearestName } from '../check/nearestName.ts';

export interface OptionKinds {
  readonly [option: string]: OptionKind;
}

/** The given options with their defaults: those with a default are never undefined. */
export type Filled<Given, Kinds> = {
  readonly [K in keyof Kinds & keyof Given]-?: Kinds[K] extends OptionKind<unknown, infer Standard>
    ? undefined extends Standard
      ? Given[K]
      : Exclude<Given[K], undefined>
    : never;
};

/** The options of a function: their names, what each takes, and the defaults. `declareOptions` makes one. */
export class OptionSet<Kinds extends OptionKinds = OptionKinds> {
  readonly kinds: Kinds;
  /** The word for one of them in messages. */
  readonly #noun: 'option' | 'field';
  /** Names that other libraries use for a field, and its name here. */
  readonly #meant: { readonly [name: string]: string };
  readonly #names: readonly string[];
  readonly #needed: readonly string[];

  constructor(kinds: Kinds, noun: 'option' | 'field' = 'option', meant: { readonly [name: string]: string } = {}) {
    this.kinds = kinds;
    this.#noun = noun;
    this.#meant = meant;
    this.#names = Object.keys(kinds);
    this.#needed = this.#names.filter((name) => kinds[name]!.more.isNeeded === true);
  }

  /**
   * Throws a RangeError that names function, option and value. A misspelt option would otherwise cost requests.
   * `outer`: the option that these options are in, and a dot. `where`: words behind an unknown name.
   */
  check(caller: string, given: object, outer = '', onName?: OnName, where = ''): void {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      const what = outer === '' ? `the ${this.#noun}s` : outer.slice(0, -1);
      throw new RangeError(`${caller}: ${what} must be an object, not ${Array.isArray(given) ? 'a list' : inWords(given)}`);
    }
    for (const option of Object.keys(given)) {
      const kind = ownValue(this.kinds, option);
      const value = ownValue(given, option);
      if (kind === undefined) throw this.#unknown(caller, option, outer, where);
      if (value !== undefined) checkValue(caller, kind, value, outer + option, onName);
    }
    for (const option of this.#needed) {
      if (ownValue(given, option) !== undefined) continue;
      const { takes, more } = this.kinds[option]!;
      throw new RangeError(
        `${caller}: ${outer}${option} must be ${takes}, not undefined${more.ifNone === undefined ? '' : `; ${more.ifNone}`}`,
      );
    }
  }

  /** Throws a RangeError if there is an option of another name. */
  checkNames(caller: string, given: object, outer: string): void {
    for (const option of Object.keys(given)) if (!Object.hasOwn(this.kinds, option)) throw this.#unknown(caller, option, outer);
  }

  /** The checked options, with their defaults. Only own properties are read. */
  read<Given extends object>(caller: string, given: Given, outer = ''): Filled<Given, Kinds> {
    this.check(caller, given, outer);
    return Object.fromEntries(
      this.#names.map((option) => [option, ownValue(given, option) ?? this.kinds[option]!.standard]),
    ) as unknown as Filled<Given, Kinds>;
  }

  #unknown(caller: string, option: string, outer: string, where = ''): RangeError {
    const nearest = (ownValue(this.#meant, option) as string | undefined) ?? nearestName(option, this.#names);
    const names = this.#names.map((name) => outer + name);
    const none = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const hint = nearest === undefined ? none : `did you mean '${outer}${nearest}'?`;
    return new RangeError(`${caller}: there is no ${this.#noun} '${outer}${option}'${where}; ${hint}`);
  }
}

/** Throws a RangeError if a value, or an option inside it, is wrong. `path`: the path of the value, for the message. */
export function checkValue(caller: string, { takes, fits, more }: OptionKind, value: unknown, path: string, onName?: OnName): void {
  const { words, guess, nameOf, inside } = more;
  if (!fits(value)) {
    const guessed = typeof value === 'string' ? guess?.(value) : undefined;
    throw optionError(caller, path, takes, value, words, guessed === undefined ? more.meant : { [value as string]: guessed });
  }
  if (nameOf !== undefined) onName?.(nameOf, value as string, path);
  inside?.check(caller, value as object, `${path}.`, onName);
}

/** The error for a wrong value of an option. `words`: its only values. `meant`: values that other libraries use, and the value here. */
export function optionError(
  caller: string,
  option: string,
  takes: string,
  value: unknown,
  words: readonly string[] = [],
  meant: { readonly [word: string]: string } = {},
): RangeError {
  const nearest = typeof value === 'string' ? nearestName(value, [...words, ...Object.keys(meant)]) : undefined;
  const hint = nearest === undefined ? '' : `; did you mean ${meant[nearest] ?? `'${nearest}'`}?`;
  return new RangeError(`${caller}: ${option} must be ${takes}, not ${inWords(value)}${hint}`);
}

type KindsOf<Options> = { readonly [K in keyof Options]-?: OptionKind<NonNullable<Options[K]>> };
type NoOthers<Kinds, Options> = { readonly [K in Exclude<keyof Kinds, keyof Options>]: never };

/**
 * Declares the options of an interface, each once. It doesn't compile if an option is missing, doesn't exist, or takes
 * values of another type.
 *
 * @example
 * const options = declareOptions<IterateOptions>()({ ahead: whole({ from: 0 }).or(0), signal: signal() });
 * const { ahead } = options.read('iterate', given);
 */
export function declareOptions<Options extends object>() {
  return <const Kinds extends KindsOf<Options> & OptionKinds>(kinds: Kinds & NoOthers<Kinds, Options>): OptionSet<Kinds> =>
    new OptionSet<Kinds>(kinds);
}

/** Declares the fields of a description, as `declareOptions` does for options. */
export function declareFields<Description extends object>() {
  return <const Kinds extends KindsOf<Description> & OptionKinds>(
    kinds: Kinds & NoOthers<Kinds, Description>,
    /** Names that other libraries use for a field, and its name here. */
    meant?: { readonly [name: string]: keyof Kinds & string },
  ): OptionSet<Kinds> => new OptionSet<Kinds>(kinds, 'field', meant);
}

/** What a text in a description names: a parameter, a field of the data, a column of the rows, or an operation. */
export type NameOf = 'param' | 'field' | 'column' | 'operation';
/** Called with each name in a description and its path, to check that it exists. */
export type OnName = (nameOf: NameOf, name: string, path: string) => void;

/** The check of options inside an option. `outer`: the path of that option, and a dot. */
export interface InnerOptions {
  check(caller: string, given: object, outer: string, onName?: OnName): void;
  /** For the JSON Schema: the kind of each value, or the kinds that it may be. */
  readonly entries?: OptionKind;
  readonly choices?: readonly OptionKind[];
}

interface MoreFacts {
  readonly isNeeded?: boolean;
  /** For the message if it is missing: what to write if there is nothing to say. */
  readonly ifNone?: string | undefined;
  /** The check of the options inside, if it is an object of options. */
  readonly inside?: InnerOptions;
  /** Its only values, if there are a few. */
  readonly words?: readonly string[];
  /** Values that other libraries use, and the value here. */
  readonly meant?: { readonly [word: string]: string };
  /** The value that was probably meant by a wrong text. undefined: unknown. */
  readonly guess?: (text: string) => string | undefined;
  /** What its value is the name of. */
  readonly nameOf?: NameOf;
}

/** What an option takes: its check, the words of its error, and its default. */
export class OptionKind<Value = unknown, Standard = unknown> {
  /** The right values, in words that follow "must be". */
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
  /** The value of an option that isn't given. */
  readonly standard: Standard;
  readonly more: MoreFacts;
  /** For the compiler only: the type of its values. */
  declare readonly value?: Value;

  constructor(takes: string, fits: (value: unknown) => boolean, standard: Standard, more: MoreFacts = {}) {
    this.takes = takes;
    this.fits = fits;
    this.standard = standard;
    this.more = more;
  }

  /** The same option with a default. */
  or(standard: Value): OptionKind<Value, Value> {
    return new OptionKind<Value, Value>(this.takes, this.fits, standard, this.more);
  }

  /** The same option, but it has to be given. `ifNone`: words for the message if it is missing. */
  needed(ifNone?: string): OptionKind<Value, Value> {
    return new OptionKind<Value, Value>(this.takes, this.fits, undefined as Value, { ...this.more, isNeeded: true, ifNone });
  }
}
