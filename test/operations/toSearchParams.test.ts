import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operations, toSearchParams } from '../../src/operations/index.ts';

const { webSearch, mapsReviews } = operations;

describe('toSearchParams', () => {
  it('writes the given parameters in documented order', () => {
    expect(toSearchParams(webSearch, { filter: '0', html: false, page: 2, query: 'coffee', safe: undefined })).toBe(
      'query=coffee&page=2&html=false&filter=0',
    );
  });

  it('leaves out what is no parameter', () => {
    expect(toSearchParams(mapsReviews, JSON.parse('{"data_id":"x","__proto__":"y","key":"z"}') as object)).toBe('data_id=x');
  });

  it('brings every text across', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (query) => {
        expect(new URLSearchParams(toSearchParams(webSearch, { query })).get('query')).toBe(query);
      }),
    );
    expect(toSearchParams(webSearch, { query: 'a&page=9#é +' })).toBe('query=a%26page%3D9%23%C3%A9+%2B');
  });
});
