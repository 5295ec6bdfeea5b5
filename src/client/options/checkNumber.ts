interface NumberRange {
  readonly min: number;
  /** @default Infinity, which is allowed too */
  readonly max?: number;
  readonly whole?: boolean;
}

/** Returns the number, or the default. Throws a RangeError that names function, option and value if it is out of range. */
export function checkNumber(option: string, given: number | undefined, standard: number, range: NumberRange): number {
  if (given === undefined) return standard;
  const max = range.max ?? Infinity;
  const fits = typeof given === 'number' && given >= range.min && given <= max;
  if (!fits || (range.whole === true && !Number.isInteger(given) && given !== Infinity)) {
    const kind = range.whole === true ? 'a whole number' : 'a number';
    const upTo = max === Infinity ? '' : ` and at most ${max}`;
    throw new RangeError(`createClient: ${option} must be ${kind} of at least ${range.min}${upTo}, not ${show(given)}`);
  }
  return given;
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
