import { parseAge } from '../kit/parseAge.ts';
import { stepMs, timeForms, writeTime, type TimeForm } from '../kit/writeTime.ts';
import { flag, like, oneOf, type OptionKind } from '../options/index.ts';

/** How a service returns only the rows that changed since a time. */
export interface SinceSpec {
  /** The field that says when a row was made or changed last. */
  readonly field: string;
  /** The parameter that takes the time from which on rows are wanted. @default the service can't be asked for less than everything */
  readonly param?: string | undefined;
  /** How `param` takes times: 2026-01-31T09:00:00Z, 2026-01-31, 20260131, or seconds or milliseconds since 1970. @default 'dateTime' */
  readonly as?: TimeForm | undefined;
  /** What stands around the time: `gte|${since}`. @default nothing */
  readonly template?: string | undefined;
  /** Whether a row of exactly that time is returned. @default true */
  readonly inclusive?: boolean | undefined;
  /** How far before the newest known row is asked, for rows that came late: `30m`, `12h`, `7d`. @default '7d' */
  readonly lookback?: string | undefined;
  /** How often an update asks for everything, so that it sees what is gone: `30d`. @default never */
  readonly fullEvery?: string | undefined;
}

const isLength = (value: unknown): boolean => typeof value === 'string' && parseAge(value) !== undefined;
const lengthOfTime = (): OptionKind<string, undefined> => like("a length of time such as '12h' or '7d'", isLength);
const hasSince = (value: unknown): boolean => typeof value === 'string' && value.includes(placeOfTime);
const placeOfTime = '${since}';

/** What a description and an operator take besides the field and the parameter. */
export const sinceKinds = {
  as: oneOf(...timeForms),
  template: like<string>('a text with ${since} in it', hasSince),
  inclusive: flag(),
  lookback: lengthOfTime(),
  fullEvery: lengthOfTime(),
};

/** Late rows are looked for so far back where nothing is said. */
export const usualLookback = '7d';

/** The value of `param` for rows from this time on. */
export function sinceValue(
  { as = 'dateTime', template, inclusive = true }: Omit<SinceSpec, 'field'>,
  from: number,
  zone?: string,
): string | number {
  const value = writeTime(inclusive ? from : from - stepMs[as], as, zone);
  return template === undefined ? value : template.replaceAll(placeOfTime, () => String(value));
}
