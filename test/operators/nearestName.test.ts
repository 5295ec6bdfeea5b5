import { describe, expect, it } from 'vitest';
import { nearestName } from '../../operators/check/nearestName.ts';
import { operations } from '../../src/search/index.ts';

const params = Object.keys(operations.hotelSearch.params);

describe('nearestName', () => {
  it.each([
    ['dataId', ['data', 'data_id'], 'data_id'],
    ['DATA-ID', ['data', 'data_id'], 'data_id'],
    ['checkIn', params, 'check_in_date'],
    ['qeury', params, 'query'],
    ['qury', params, 'query'],
    ['q', params, 'query'],
    ['lang', params, 'language'],
    ['adult', params, 'adults'],
    ['child_ages', params, 'children_ages'],
    ['mapsReview', Object.keys(operations), 'mapsReviews'],
    ['mapReviews', Object.keys(operations), 'mapsReviews'],
    ['scholar_search', Object.keys(operations), 'scholarSearch'],
  ])('finds what %j was meant to be', (name, names, right) => {
    expect(nearestName(name, names)).toBe(right);
  });

  it('prefers fewer errors', () => {
    expect(nearestName('min_pric', params)).toBe('min_price');
  });

  it.each([['zoom'], [''], ['___'], ['constructor'], ['x'.repeat(100_000)]])('finds nothing near %.20s', (name) => {
    expect(nearestName(name, params)).toBeUndefined();
  });

  it('does not guess between several that begin alike', () => {
    expect(nearestName('m', ['min_price', 'max_price'])).toBeUndefined();
  });

  it('suggests nothing if there are no names', () => {
    expect(nearestName('query', [])).toBeUndefined();
  });
});
