import { daysOfEvery } from '../../../operators/kit/calendar.ts';
import { dayMs, dayText, isDay } from '../../../operators/kit/days.ts';
import { endOfTime, givenTime, isoTime, timeGrains } from '../../../operators/kit/writeTime.ts';
import type { RangeAxis } from '../../../operators/split/RangeAxis.ts';
import { stepOfBounds, timesOf, type Operation } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';
import { momentText } from '../definition/parseBinding.ts';

/** Whether all queries of a stage have bounds. Then an update can use a later lower bound. */
export function isBounded({ split }: StageDefinition, operation: Operation): boolean {
  return split !== undefined && split.by === undefined && split.values === undefined && boundsOf(operation) !== undefined;
}

/** How the service takes bounds: at most so many days apart. undefined: it also takes queries without bounds. */
function boundsOf({ params, spec }: Operation): RangeAxis['bounds'] {
  const times = boundNames({ params });
  if (times.length === 1) return { most: 1 };
  if (spec.most !== undefined) return { most: daysOfEvery(spec.most) };
  return times.some((name) => params[name]?.required === true) ? { most: undefined } : undefined;
}

function boundNames(operation: Pick<Operation, 'params'>): readonly string[] {
  return timesOf(operation).filter((name) => name !== 'since');
}

/**
 * The days of a stage, as an operation takes them. If the stage names no last day, they end when the run began. Where the operation takes
 * both bounds as times, a day can be divided: into seconds, or into the minutes or hours that its texts write.
 */
export function daysAxis({ split }: StageDefinition, operation: Operation, now: number): RangeAxis {
  const [first, given] = [dayOf('from', split!.from, now), split!.to === undefined ? undefined : dayOf('to', split!.to, now)];
  const until = given ?? dayText(now);
  if (first > until) throw new RangeError(`from: it must not be after ${until}`);
  const start = Date.parse(first);
  const step = boundNames(operation).length === 2 ? stepOfBounds(operation.spec) : dayMs;
  const daySteps = dayMs / step;
  const isOpen = given === undefined;
  const end = isOpen && step < dayMs ? now : Date.parse(until) + dayMs;
  const last = Math.max(0, Math.ceil((end - start) / step) - 1);
  const bounds = boundsOf(operation);
  return {
    params: ['from', 'to'],
    last,
    grains: timeGrains(step),
    bounds: bounds && { most: bounds.most && bounds.most * daySteps },
    indexOf(value, bound) {
      const time = givenTime(value);
      if (time === undefined) return undefined;
      if (bound === 'first' || step === dayMs) return Math.floor((time.at - start) / step);
      return Math.ceil((endOfTime(time) - start) / step) - 1;
    },
    // A bound at the beginning or the end of a day is written as that day.
    valueOf(index, bound) {
      if (bound === 'first') return dayOrMoment(start + index * step, 0);
      return isOpen && index === last ? isoTime(now) : dayOrMoment(start + (index + 1) * step, dayMs);
    },
    indexAt: (time) => Math.floor((time - start) / dayMs) * daySteps,
  };
}

/** A moment as a query has it: the day that begins then, or that began `before`. */
function dayOrMoment(at: number, before: number): string {
  return at % dayMs === 0 ? dayText(at - before) : isoTime(at);
}

function dayOf(key: 'from' | 'to', value: unknown, now: number): string {
  const [, inside] = typeof value === 'string' ? (/^\$\{([^{}]*)\}$/.exec(value) ?? []) : [];
  const day = inside === undefined ? value : momentText(inside, { now, zone: 'UTC' });
  if (typeof day === 'object' && day !== null) throw new RangeError(`${key}: ${(day as { readonly message: string }).message}`);
  if (!isDay(day))
    throw new RangeError(`${key}: it must be a day such as 2020-01-31 or \${today-30d}, not ${JSON.stringify(value) ?? 'nothing'}`);
  return day;
}
