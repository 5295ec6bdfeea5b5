/** What checks the options in an option. */
export interface InnerOptions {
  check(caller: string, given: object, outer: string): void;
}

/** What an option takes, once for its check, its message and its default. */
export class OptionKind<Value = unknown, Standard = unknown> {
  /** A right value, in words that follow "must be". */
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
  /** The value of an option that isn't given. */
  readonly standard: Standard;
  readonly isNeeded: boolean;
  /** The options in it, for an option that is an object of options. */
  readonly inside: InnerOptions | undefined;
  /** For the compiler only: the type of its values. */
  declare readonly value?: Value;

  constructor(takes: string, fits: (value: unknown) => boolean, standard: Standard, inside?: InnerOptions, isNeeded = false) {
    this.takes = takes;
    this.fits = fits;
    this.standard = standard;
    this.inside = inside;
    this.isNeeded = isNeeded;
  }

  /** The same option with a default. */
  or(standard: Value): OptionKind<Value, Value> {
    return new OptionKind<Value, Value>(this.takes, this.fits, standard, this.inside);
  }

  /** The same option, but it has to be given. */
  needed(): OptionKind<Value, Value> {
    return new OptionKind<Value, Value>(this.takes, this.fits, undefined as Value, this.inside, true);
  }
}
