import { readTime } from '../../../operators/kit/writeTime.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import type { Operation } from '../../contract/index.ts';
import { FlowError } from '../../errors/index.ts';
import type { FlowStage } from '../definition/Flow.ts';

type Since = NonNullable<FlowStage['since']>;

/** When a row is from, in milliseconds since 1970. NaN: it doesn't say. */
export function timeOfRow({ field, as }: Since, row: object): number {
  return readTime(valueAt(row, field.path), as);
}

/**
 * The error if the time of a row isn't written as declared, or is digits that are no time since 1970: an update would ask for rows from a
 * wrong time. If no form is declared, words such as "3 days ago" count as no time and aren't an error.
 */
export function timeFaultOf(since: Since, operation: Pick<Operation, 'name'>, items: readonly unknown[]): Error | undefined {
  const { field, as = 'a date, or as seconds or milliseconds since 1970' } = since;
  for (const item of items) {
    if (typeof item !== 'object' || item === null || !Number.isNaN(timeOfRow(since, item))) continue;
    const value = valueAt(item, field.path);
    const isGiven =
      typeof value === 'number' || (typeof value === 'string' && value !== '' && (since.as !== undefined || /^\d+$/.test(value)));
    if (!isGiven) continue;
    return new FlowError(
      `${operation.name}: a row has the time ${JSON.stringify(value).slice(0, 80)} in '${field.path}', which isn't written as ${as}; ` +
        `say in the description how it is: time: { at: '${field.path}', as: 'YYYYMMDDHH' }`,
    );
  }
  return undefined;
}
