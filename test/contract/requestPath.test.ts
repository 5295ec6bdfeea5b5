import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkQuery,
  coerceQuery,
  defineOperation,
  nextAddress,
  requestBody,
  requestPath,
  type OperationSpec,
} from '../../src/contract/index.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';
import { operations } from '../../src/search/index.ts';

const { webSearch, mapsReviews, hotelSearch } = operations;
const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-03' };

const searchOf = (path: string): URLSearchParams => new URL(path, 'https://service.example').searchParams;

describe('requestPath', () => {
  it('writes the given parameters in documented order', () => {
    expect(requestPath(webSearch, { filter: '0', html: false, page: 2, query: 'coffee', safe: undefined })).toBe(
      '/search?query=coffee&page=2&html=false&filter=0',
    );
  });

  it('leaves out what is no parameter', () => {
    expect(requestPath(mapsReviews, JSON.parse('{"data_id":"x","__proto__":"y","key":"z"}') as object)).toBe('/maps/reviews?data_id=x');
  });

  it('is reversed by coerceQuery', () => {
    const query = { ...stay, adults: 0, vacation_rentals: false, html: true, amenities: '35', hotel_class: '4,5' };
    expect(coerceQuery(hotelSearch, Object.fromEntries(searchOf(requestPath(hotelSearch, query))))).toEqual(query);
  });

  it('transmits every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (query) => {
        expect(searchOf(requestPath(webSearch, { query })).get('query')).toBe(query);
      }),
    );
    expect(requestPath(webSearch, { query: 'a&page=9#é +' })).toBe('/search?query=a%26page%3D9%23%C3%A9+%2B');
  });

  it('writes texts as URLSearchParams does, also halves of characters', () => {
    const units = fc.array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })));
    fc.assert(
      fc.property(units, (codes) => {
        const query = String.fromCharCode(...codes);
        expect(requestPath(webSearch, { query })).toBe(`/search?${new URLSearchParams({ query }).toString()}`);
      }),
    );
  });

  it('writes what stands behind a colon where a query has no value, as its type has it', () => {
    const values = { us: 2840, de: 2276 };
    const usual = defineOperation({
      name: 'usual',
      post: '/usual',
      query: { lang: '${lang:en}', label: 'to ${lang:en}' },
      body: [{ at: '${country:us}', depth: '${depth:20}' }],
      params: { lang: { type: 'string' }, country: { type: 'string', values }, depth: { type: 'integer' } },
      response: { rows: ['object'] },
      rows: 'rows',
    });
    expect([requestPath(usual, {}), requestBody(usual, {})]).toEqual(['/usual?lang=en&label=to+en', '[{"at":2840,"depth":20}]']);
    const given = { lang: 'de', country: 'de', depth: 5 };
    expect([requestPath(usual, given), requestBody(usual, given)]).toEqual(['/usual?lang=de&label=to+de', '[{"at":2276,"depth":5}]']);
    const wrong = (body: { [field: string]: string }, params: OperationSpec['params']) => () =>
      defineOperation({ name: 'wrong', post: '/wrong', body, params, response: { rows: ['object'] }, rows: 'rows' });
    expect(wrong({ a: '${depth:many}' }, { depth: { type: 'integer' } })).toThrow('the number that is sent where a query has none');
    expect(wrong({ a: '${any:x}' }, { any: { type: 'object' } })).toThrow('any is object');
    expect(wrong({ a: '${many:x}' }, { many: { type: 'strings' } })).toThrow('a list is written with ${many:comma} or ${many:brackets}');
  });

  const editions = defineOperation({
    name: 'editions',
    title: 'Editions',
    group: 'Books',
    get: '/books/${id}/editions',
    about: 'Editions of a book.',
    params: {
      id: { type: 'string', required: true, about: 'the book' },
      lang: { type: 'string', about: 'language' },
    },
    response: { rows: ['object'], 'next?': 'string' },
    rows: 'rows',
    next: 'next',
  });

  it('fills in the parameters of the path', () => {
    expect(requestPath(editions, { lang: 'en', id: 'a/b c?' })).toBe('/books/a%2Fb%20c%3F/editions?lang=en');
    expect(requestPath(editions, { id: '$&' })).toBe('/books/%24%26/editions');
    for (const id of ['.', '..']) expect(checkQuery(editions, { id })).toMatchObject([{ param: 'id' }]);
  });

  it('leaves out the address of the next page, which nextAddress tells', () => {
    const query = { id: '1', next: '/books/1/editions?page=2' };
    expect(requestPath(editions, query)).toBe('/books/1/editions');
    expect(nextAddress(editions, query)).toBe('/books/1/editions?page=2');
    expect(nextAddress(editions, { id: '1' })).toBeUndefined();
    expect(nextAddress(mapsReviews, { next_page_token: 'x' })).toBeUndefined();
  });
});

describe('defineOperation', () => {
  const spec = { ...withoutOwnWords(webSearch.spec), name: 'own' };
  it.each([
    [{ get: '/books/{id}' }, /get has '\/books\/\{id\}': the value of a parameter is \$\{name\}/],
    [{ get: '/books/${id}' }, /get names 'id', which is not one of its params/],
    [{ get: '/books/${query}/${country}' }, /country is in the path, so it must be required/],
    [{ query: { page: '${page}', gl: '${countri}' } }, /query.gl names 'countri'.*did you mean country\?/],
    [
      { query: { gl: '${country}' } },
      /params.page is in no text, so no page after the first is requested; write query: \{ page: '\$\{page\}' \}/,
    ],
  ] as const)('refuses %j', (wrong, message) => {
    expect(() => defineOperation({ ...spec, ...wrong })).toThrow(message);
  });
});
