import { dayMs } from '../../operators/kit/days.ts';
import { daysOfEvery } from '../../operators/kit/calendar.ts';
import { endOfTime, givenTime } from '../../operators/kit/writeTime.ts';
import { type Method, methods, type ParamSpec, type Rule } from './Param.ts';
import { namesIn, slotsOf, templateOf } from './template.ts';
import { stepOfTime } from './timeText.ts';

const about = {
  since: 'only rows that changed from this time on',
  from: 'the first day, or when it begins',
  to: 'the last day, or when it ends',
} as const;
/** The times that a query gives. */
export type GivenTimeName = keyof typeof about;
const given = Object.keys(about) as readonly GivenTimeName[];

type Texts = { readonly [part in Method | 'query' | 'headers' | 'body' | 'form']?: unknown } & { readonly most?: string };

/** The parameters for the times that the texts of a request name. */
export function timeParams(spec: Texts): { readonly [name in GivenTimeName]?: ParamSpec } {
  const { query, headers, body, form, most } = spec;
  const path = methods.map((method) => spec[method]);
  const names = namesIn([path, query, headers, body, form]);
  const inPath = namesIn(path);
  const made = given.filter((name) => names.has(name));
  return Object.fromEntries(
    made.map((name) => {
      const isNeeded = inPath.has(name) || (most !== undefined && name !== 'since');
      const inFlow = isNeeded && name !== 'since' ? '; in a flow, split sets it' : '';
      return [
        name,
        { type: 'string', format: 'time', about: about[name] + inFlow, ...(isNeeded && { required: true }) } satisfies ParamSpec,
      ];
    }),
  );
}

/** The rule that `from` and `to` aren't further apart than `most`. */
export function timeRules({ most }: Texts): readonly Rule[] {
  const days = daysOfEvery(most);
  if (days === undefined) return [];
  const text = `from and to are at most ${days} days apart`;
  const advice = `the service takes ${days} in one request; in a flow, split: { from, to } makes as many requests as it takes`;
  const broken: Rule['broken'] = (query) => {
    const [from, to] = [givenTime(query['from']), givenTime(query['to'])];
    if (from === undefined || to === undefined) return undefined;
    const apart = Math.ceil((endOfTime(to) - from.at) / dayMs);
    return apart > days ? { param: 'to', message: `from and to are ${apart} days apart: ${advice}` } : undefined;
  };
  return [{ text, params: ['from', 'to'], broken }];
}

/** The distance from one value of `from` and `to` to the next, in milliseconds, as the texts of an operation write them. */
export function stepOfBounds({ get, post, query, headers, body, form }: Texts): number {
  const times = slotsOf(templateOf([get, post, query, headers, body, form])).flatMap(({ time }) => time ?? []);
  const steps = times.filter(({ of }) => of === 'from' || of === 'to').map(stepOfTime);
  return steps.length === 0 ? dayMs : Math.max(...steps);
}

/** Which parameters of an operation are times. */
export function timesOf({ params }: { readonly params: { readonly [name: string]: ParamSpec } }): readonly GivenTimeName[] {
  return given.filter((name) => params[name]?.format === 'time');
}
