import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coerceQuery, toSearchParams } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';

const { webSearch, mapsReviews, hotelSearch } = operations;
const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-03' };

describe('toSearchParams', () => {
  it('writes the given parameters in documented order', () => {
    expect(toSearchParams(webSearch, { filter: '0', html: false, page: 2, query: 'coffee', safe: undefined })).toBe(
      'query=coffee&page=2&html=false&filter=0',
    );
  });

  it('leaves out what is no parameter', () => {
    expect(toSearchParams(mapsReviews, JSON.parse('{"data_id":"x","__proto__":"y","key":"z"}') as object)).toBe('data_id=x');
  });

  it('is undone by coerceQuery', () => {
    const query = { ...stay, adults: 0, vacation_rentals: false, html: true, amenities: '35', hotel_class: '4,5' };
    expect(coerceQuery(hotelSearch, Object.fromEntries(new URLSearchParams(toSearchParams(hotelSearch, query))))).toEqual(query);
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
