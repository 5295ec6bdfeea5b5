import { ownValue } from '../kit/ownValue.ts';
import { type PlainRow, rowsAt } from '../walk/rowsAt.ts';
import type { Split } from './Split.ts';

/**
 * Splits a query by the values of a parameter: prices, filters, the same words followed by a district. Rows that match
 * none of the values are missing from the results.
 *
 * `values` may also be the dotted path of the values in the response, such as filters that it lists: `'chips[].id'`.
 *
 * @example
 * splitWhenFull(client.imageSearch, { full: 100, split: byValues('image_type', ['photo', 'clipart', 'lineart']) })
 */
export function byValues<Query extends object>(param: string, values: readonly (string | number | boolean)[] | string): Split<Query> {
  if (param === '') throw new RangeError(`byValues: param must be a parameter's name, not an empty text`);
  if (values.length === 0 || (typeof values !== 'string' && !Array.isArray(values)))
    throw new RangeError('byValues: values must be a list that is not empty, or a path in the response');
  if (typeof values === 'string') {
    return (query, { data }) => {
      const plain = [...(rowsAt(data, values).plain ?? [])].map((row) => (row as PlainRow).value);
      const listed = plain.filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
      // a narrower query lists its own value again
      return ownValue(query, param) === undefined ? [...new Set(listed)].map((value) => ({ ...query, [param]: value })) : [];
    };
  }
  const split = new Set<unknown>(values);
  return (query) => (split.has(ownValue(query, param)) ? [] : values.map((value) => ({ ...query, [param]: value })));
}
