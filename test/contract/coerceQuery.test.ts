import { describe, expect, it } from 'vitest';
import { checkQuery, coerceQuery } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';

const { mapsReviews, webSearch, hotelSearch, imageSearch } = operations;

describe('coerceQuery', () => {
  it('converts texts to whole numbers and booleans', () => {
    expect(coerceQuery(mapsReviews, { data_id: '10', results: '10' })).toEqual({ data_id: '10', results: 10 });
    expect(coerceQuery(webSearch, { query: 'true', html: 'true', page: '0' })).toEqual({ query: 'true', html: true, page: 0 });
    expect(coerceQuery(hotelSearch, { vacation_rentals: 'false', free_cancellation: 'true' })).toEqual({
      vacation_rentals: false,
      free_cancellation: 'true',
    });
  });

  it('keeps texts that look like numbers where a text belongs', () => {
    expect(coerceQuery(imageSearch, { period_value: '2', nfpr: '1' })).toEqual({ period_value: '2', nfpr: '1' });
  });

  it.each(['1.5', '010', '1e1', ' 10', '', 'ten', '0x10', '-0', '99999999999999999999'])(
    'leaves %j for checkQuery to refuse',
    (results) => {
      const query = coerceQuery(mapsReviews, { data_id: 'x', results });
      expect(query).toEqual({ data_id: 'x', results });
      expect(checkQuery(mapsReviews, query).map(({ param }) => param)).toEqual(['results']);
    },
  );

  it.each(['1', 'yes', 'TRUE', ''])('leaves %j where true or false belongs', (html) => {
    expect(coerceQuery(webSearch, { query: 'x', html })).toEqual({ query: 'x', html });
  });

  it('leaves unknown names unchanged', () => {
    const query = coerceQuery(mapsReviews, JSON.parse('{"__proto__":"1","constructor":"1"}') as Record<string, string>);
    expect(Object.entries(query)).toEqual([
      ['__proto__', '1'],
      ['constructor', '1'],
    ]);
  });
});
