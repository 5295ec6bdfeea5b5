/** A rule that a world broke. */
export class Broken extends Error {
  /** Which one. A smaller world that breaks another rule is no smaller case of this. */
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.rule = rule;
  }
}
