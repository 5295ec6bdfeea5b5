import { daysOfEvery } from '../../../operators/kit/calendar.ts';
import { dayMs, dayText, isDay } from '../../../operators/kit/days.ts';
import { givenTime, isoTime } from '../../../operators/kit/writeTime.ts';
import type { RangeAxis } from '../../../operators/split/RangeAxis.ts';
import { timesOf, type Operation } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';
import { momentText } from '../definition/parseBinding.ts';

/** Whether all queries of a stage have bounds. Then an update can use a later lower bound. */
export function isBounded({ split }: StageDefinition, operation: Operation): boolean {
  return split !== undefined && split.by === undefined && split.values === undefined && boundsOf(operation) !== undefined;
}

/** How the service takes bounds. undefined: it also takes queries without bounds. */
function boundsOf({ params, spec }: Operation): RangeAxis['bounds'] {
  const times = timesOf({ params }).filter((name) => name !== 'since');
  if (times.length === 1) return { most: 1 };
  if (spec.most !== undefined) return { most: daysOfEvery(spec.most) };
  return times.some((name) => params[name]?.required === true) ? { most: undefined } : undefined;
}

/** The days of a stage, as an operation takes them. The last one ends where the run began, if the stage doesn't say another. */
export function daysAxis({ split }: StageDefinition, operation: Operation, now: number): RangeAxis {
  const [first, given] = [dayOf('from', split!.from, now), split!.to === undefined ? undefined : dayOf('to', split!.to, now)];
  const until = given ?? dayText(now);
  if (first > until) throw new RangeError(`from: it must not be after ${until}`);
  const start = Date.parse(first);
  const last = Math.round((Date.parse(until) - start) / dayMs);
  const indexAt = (time: number): number => Math.floor((time - start) / dayMs);
  return {
    params: ['from', 'to'],
    last,
    bounds: boundsOf(operation),
    indexOf(value) {
      const time = givenTime(value);
      return time && indexAt(time.at);
    },
    valueOf: (index, bound) => (bound === 'last' && given === undefined && index === last ? isoTime(now) : dayText(start + index * dayMs)),
    indexAt,
  };
}

function dayOf(key: 'from' | 'to', value: unknown, now: number): string {
  const [, inside] = typeof value === 'string' ? (/^\$\{([^{}]*)\}$/.exec(value) ?? []) : [];
  const day = inside === undefined ? value : momentText(inside, { now, zone: 'UTC' });
  if (typeof day === 'object' && day !== null) throw new RangeError(`${key}: ${(day as { readonly message: string }).message}`);
  if (!isDay(day))
    throw new RangeError(`${key}: it must be a day such as 2020-01-31 or \${today-30d}, not ${JSON.stringify(value) ?? 'nothing'}`);
  return day;
}
