import { ownValue } from '../kit/ownValue.ts';
import { inWords } from '../check/inWords.ts';
import { nearestName } from '../check/nearestName.ts';
import type { OptionKind } from './OptionKind.ts';

export interface OptionKinds {
  readonly [option: string]: OptionKind;
}

/** The given options, complete: those with a default are never undefined. */
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
  readonly #names: readonly string[];

  constructor(kinds: Kinds) {
    this.kinds = kinds;
    this.#names = Object.keys(kinds);
  }

  /**
   * Throws a RangeError that names function, option and value. A misspelt option would otherwise cost requests.
   * `outer`: the option that these options are in, and a dot. `where`: words behind an unknown name.
   */
  check(caller: string, given: object, outer = '', where = ''): void {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      const what = outer === '' ? 'the options' : outer.slice(0, -1);
      throw new RangeError(`${caller}: ${what} must be an object, not ${Array.isArray(given) ? 'a list' : inWords(given)}`);
    }
    for (const option of Object.keys(given)) {
      const kind = ownValue(this.kinds, option);
      const value = ownValue(given, option);
      if (kind === undefined) throw this.#unknown(caller, option, outer, where);
      if (value === undefined) continue;
      if (!kind.fits(value)) throw optionError(caller, outer + option, kind.takes, value);
      kind.inside?.check(caller, value as object, `${outer}${option}.`);
    }
    for (const option of this.#names) {
      const { isNeeded, takes } = this.kinds[option]!;
      if (isNeeded && ownValue(given, option) === undefined) throw optionError(caller, outer + option, takes, undefined);
    }
  }

  /** The checked options, with their defaults. Only own properties are read. */
  read<Given extends object>(caller: string, given: Given, outer = ''): Filled<Given, Kinds> {
    this.check(caller, given, outer);
    return Object.fromEntries(
      this.#names.map((option) => [option, ownValue(given, option) ?? this.kinds[option]!.standard]),
    ) as unknown as Filled<Given, Kinds>;
  }

  #unknown(caller: string, option: string, outer: string, where: string): RangeError {
    const nearest = nearestName(option, this.#names);
    const names = this.#names.map((name) => outer + name);
    const none = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
    const hint = nearest === undefined ? none : `did you mean '${outer}${nearest}'?`;
    return new RangeError(`${caller}: there is no option '${outer}${option}'${where}; ${hint}`);
  }
}

/** The error of an option whose value isn't right. */
export function optionError(caller: string, option: string, takes: string, value: unknown): RangeError {
  return new RangeError(`${caller}: ${option} must be ${takes}, not ${inWords(value)}`);
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
