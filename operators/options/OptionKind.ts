/** What a text in a description is the name of. A parameter, a field of the data, a column of the rows, or an operation. */
export type NameOf = 'param' | 'field' | 'column' | 'operation';
/** Takes each name in a description, with its path. Who knows the names checks them. */
export type OnName = (nameOf: NameOf, name: string, path: string) => void;

/** What checks the options in an option. `outer`: its path, and a dot. */
export interface InnerOptions {
  check(caller: string, given: object, outer: string, onName?: OnName): void;
}

interface MoreFacts {
  readonly isNeeded?: boolean;
  /** What to write if there is nothing to say, in words. */
  readonly ifNone?: string | undefined;
  /** The options in it, for an option that is an object of options. */
  readonly inside?: InnerOptions;
  /** The only values, for one that is a text of a few. */
  readonly words?: readonly string[];
  /** What others call such a value, and what it is here. */
  readonly meant?: { readonly [word: string]: string };
  /** What somebody meant who wrote this text. undefined: nobody knows. */
  readonly guess?: (text: string) => string | undefined;
  /** What its value is the name of. */
  readonly nameOf?: NameOf;
}

/** What an option takes, once for its check, its message and its default. */
export class OptionKind<Value = unknown, Standard = unknown> {
  /** A right value, in words that follow "must be". */
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

  /** The same option, but it has to be given. `ifNone`: what to write if there is nothing to say, in words. */
  needed(ifNone?: string): OptionKind<Value, Value> {
    return new OptionKind<Value, Value>(this.takes, this.fits, undefined as Value, { ...this.more, isNeeded: true, ifNone });
  }
}
