import { daysIn, daysOfEvery, daysWords, everyWords, mostDays } from '../../../operators/kit/calendar.ts';
import { compactDay } from '../../../operators/kit/days.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { instead, nearestName, type ParamSpec, type QueryValue } from '../../contract/index.ts';
import { fault, paramInputs, parseBinding, parseParam, type BindingFault, type FlowEnv, type ParamBinding } from './parseBinding.ts';

interface BoundParam {
  readonly param: ParamSpec | undefined;
  /** All parameters that the stage sets itself. */
  readonly given: { readonly [param: string]: unknown };
  readonly env: FlowEnv;
}

/** The values that a stage gives a parameter, to bind to rows. A value that can't be read becomes a fault. */
export function paramBindings(input: unknown, { param, given, env }: BoundParam): readonly (ParamBinding | BindingFault)[] {
  if (isCalendar(param, input)) return calendarBindings(input, param, given, env);
  return paramInputs(param, input).map((one) => parseParam(one, env));
}

const calendarKeys = ['days', 'every', 'after'];

/** Whether a value stands for days: an object with the keys of a calendar, perhaps misspelt, for a parameter that takes a text. */
function isCalendar(param: ParamSpec | undefined, input: unknown): input is { readonly [key: string]: unknown } {
  if (param?.type !== 'string' || typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  return Object.keys(input).some((key) => calendarKeys.includes(key) || nearestName(key, calendarKeys) !== undefined);
}

function calendarBindings(
  input: { readonly [key: string]: unknown },
  param: ParamSpec | undefined,
  given: BoundParam['given'],
  env: FlowEnv,
): readonly (ParamBinding | BindingFault)[] {
  const keys = Object.hasOwn(input, 'after') ? ['after', 'days'] : ['days', 'every'];
  for (const key of Object.keys(input)) {
    if (keys.includes(key)) continue;
    return [fault(`days have no '${key}'${instead(key, keys, `they have ${keys.join(' and ')}`)}`)];
  }
  const { days, every = '1d', after } = input;
  if (after !== undefined) return [afterBinding(after, days, given)];
  const step = daysOfEvery(every);
  if (step === undefined) return [fault(`every must be ${everyWords}`)];
  if (typeof days !== 'string') return [fault(`days must be ${daysWords}`)];
  const from = parseBinding(days, env);
  if (from.kind === 'fault') return [from];
  const write = (day: string): string => (param?.format === 'compactDate' ? compactDay(day) : day);
  const listOf = (text: string): readonly string[] => daysIn(text, step).map(write);
  if (from.kind !== 'constant') return [{ kind: 'each', from, most: mostDays, valuesOf: (value) => daysOrText(value, listOf) }];
  try {
    return listOf(String(from.value)).map((value) => ({ kind: 'constant', value }));
  } catch (error) {
    return [fault(`days ${(error as Error).message}`)];
  }
}

/** The days that a text of a row stands for. A text that is wrong stays as it is, so that only its query fails and says why. */
function daysOrText(value: QueryValue, listOf: (text: string) => readonly string[]): readonly QueryValue[] {
  try {
    return listOf(textOfValue(value));
  } catch {
    return [value];
  }
}

function afterBinding(after: unknown, days: unknown, given: BoundParam['given']): ParamBinding | BindingFault {
  if (typeof after !== 'string' || !Object.hasOwn(given, after))
    return fault(`after must name another parameter in with${typeof after === 'string' ? instead(after, Object.keys(given), '') : ''}`);
  const other = ownValue(given, after);
  if (typeof other === 'object' && other !== null && 'after' in other) return fault(`after names ${after}, which is itself after another`);
  if (!Number.isSafeInteger(days) || (days as number) < 0 || (days as number) > mostDays)
    return fault(`days must be a whole number from 0 to ${mostDays}`);
  return { kind: 'after', param: after, days: days as number };
}
