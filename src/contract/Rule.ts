/** A rule between parameters, as data. Each kind is one entry of `checkQuery/rules.ts`. */
export type Rule = CountRule | LaterRule | OrderRule | NeedRule;

/** A list has as many comma-separated values as another parameter says. */
interface CountRule {
  readonly kind: 'countOf';
  /** The parameter with the values. */
  readonly list: string;
  /** The parameter that says how many, or has it as its default. */
  readonly count: string;
}

/** One day is later than another. */
interface LaterRule {
  readonly kind: 'later';
  /** The parameter of the earlier day. */
  readonly earlier: string;
  /** The parameter of the later day. */
  readonly later: string;
  /** It may be the same day. */
  readonly same?: true;
}

/** One number is at least as high as another. Both are numbers as text. */
interface OrderRule {
  readonly kind: 'atLeast';
  /** The parameter of the lower number. */
  readonly low: string;
  /** The parameter of the higher number. */
  readonly high: string;
}

/** With one parameter, another is required. */
interface NeedRule {
  readonly kind: 'needs';
  /** The parameter that has others with it. */
  readonly param: string;
  /** Its value. @default any */
  readonly is?: string | boolean;
  /** The parameter that is then required. */
  readonly needs: string;
}
