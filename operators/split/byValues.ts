import { ownValue } from '../kit/ownValue.ts';
import type { Split } from './Split.ts';

/**
 * Splits a query by the values of a parameter: prices, filters, the same words followed by a district. Rows that match
 * none of the values are missing from the results.
 *
 * @example
 * splitWhenFull(client.imageSearch, { full: 100, split: byValues('image_type', ['photo', 'clipart', 'lineart']) })
 */
export function byValues<Query extends object>(param: string, values: readonly (string | number | boolean)[]): Split<Query> {
  if (param === '') throw new RangeError(`byValues: param must be a parameter's name, not an empty text`);
  if (!Array.isArray(values) || values.length === 0) throw new RangeError('byValues: values must be a list that is not empty');
  const split = new Set<unknown>(values);
  return (query) => (split.has(ownValue(query, param)) ? [] : values.map((value) => ({ ...query, [param]: value })));
}
