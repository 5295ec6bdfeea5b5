import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fieldsOf, pagingRequestOf, rowShape, type Paging } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/Operation.ts';
import { operations } from '../../src/search/index.ts';

const table = [
  ['webSearch', '/search', 'organic_results', 'offset'],
  ['lightSearch', '/search/light', 'organic_results', 'offset'],
  ['mobileSearch', '/search/mobile', 'organic_results', 'offset'],
  ['autocomplete', '/autocomplete', 'suggestions', 'none'],
  ['aiMode', '/ai-mode', null, 'none'],
  ['aiOverview', '/ai-overview', null, 'none'],
  ['imageSearch', '/images/search', 'images_results', 'offset'],
  ['videoSearch', '/videos/search', 'videos_results', 'offset'],
  ['newsSearch', '/news/search', 'news_results', 'none'],
  ['jobSearch', '/jobs/search', 'jobs_results', 'cursor'],
  ['financeSearch', '/finance/search', null, 'none'],
  ['hotelSearch', '/hotels/search', 'ads', 'cursor'],
  ['immersiveProduct', '/immersive/product', 'stores', 'offset'],
  ['mapsSearch', '/maps/search', 'search_results', 'offset'],
  ['mapsReviews', '/maps/reviews', 'reviews_results', 'cursor'],
  ['mapsPhotos', '/maps/photos', 'photos', 'cursor'],
  ['mapsPosts', '/maps/posts', 'post_data', 'cursor'],
  ['scholarSearch', '/scholar/search', 'scholar_results', 'offset'],
  ['scholarAuthor', '/scholar/author', 'articles', 'none'],
  ['scholarProfiles', '/scholar/profiles', 'profiles', 'cursor'],
  ['patentDetails', '/patents/details', null, 'none'],
];

const paramsOf = (paging: Paging): readonly string[] => [
  ...pagingRequestOf(paging).params,
  ...(paging.kind === 'offset' ? Object.keys(paging.fixed ?? {}) : []),
];

describe('operations', () => {
  it('are 21, in order, each with its path, its list and its paging', () => {
    expect(
      Object.entries(operations).map(([key, { name, spec }]) => [key === name && name, spec.get, spec.rows, spec.paging.kind]),
    ).toEqual(table);
  });

  it.each(Object.values(operations))('$name pages by a parameter that it has', (operation: Operation) => {
    expect(Object.keys(operation.params)).toEqual(expect.arrayContaining([...paramsOf(operation.spec.paging)]));
  });

  it.each(Object.values(operations))('$name has its list in its response, and rules on parameters that it has', (operation: Operation) => {
    const { response, rows: list, rules = [], variants } = operation.spec;
    expect(rowShape(response, list)).toBeDefined();
    for (const variant of Object.values(variants?.values ?? {})) expect(rowShape(variant.response, variant.rows)).toBeDefined();
    expect(Object.keys(operation.params)).toEqual(expect.arrayContaining(rules.flatMap(({ params }) => params)));
  });

  it('count what the interface counts', () => {
    expect(operations.mapsSearch.spec.paging).toMatchObject({ param: 'page', step: 20 });
    expect(operations.immersiveProduct.spec.paging).toMatchObject({ param: 'sori', step: 'received', fixed: { stores: true } });
    expect(operations.scholarSearch.spec.paging).toMatchObject({ numbers: { at: 'pagination.page_no', current: 'pagination.current' } });
    expect(operations.scholarProfiles.spec.paging).toMatchObject({ param: 'after_author' });
  });

  it('have a default of their own where they state one, and none for filter, whose default is stated two ways', () => {
    const defaults = (operation: Operation) =>
      Object.fromEntries(
        Object.entries(operation.params).flatMap(([name, param]) => (param.default === undefined ? [] : [[name, param.default]])),
      );
    expect(defaults(operations.webSearch)).toEqual({ page: 0, html: false, language: 'en', country: 'us', safe: 'off', nfpr: '0' });
    expect(defaults(operations.imageSearch)).toMatchObject({ period_value: '1' });
    expect(defaults(operations.newsSearch)).toEqual({ country: 'us', language: 'en', so: '0' });
    expect(defaults(operations.hotelSearch)).toEqual({
      adults: 2,
      children: 0,
      html: false,
      language: 'en',
      country: 'us',
      currency: 'USD',
      vacation_rentals: false,
    });
    expect(defaults(operations.immersiveProduct)).toEqual({ stores: false, country: 'us', language: 'en' });
    expect(defaults(operations.mapsReviews)).toEqual({ language: 'en', sort_by: 'qualityScore', results: 10 });
    expect(defaults(operations.scholarSearch)).toEqual({
      html: false,
      language: 'en',
      page: 0,
      results: 10,
      safe: 'off',
      as_vis: '0',
      as_rr: '0',
    });
    expect(defaults(operations.scholarAuthor)).toEqual({ results: 20, language: 'en' });
    expect(defaults(operations.patentDetails)).toEqual({ language: 'en', html: false });
  });
});

describe('the door of operations', () => {
  const door = readFileSync(new URL('../../src/search/index.ts', import.meta.url), 'utf8');

  it.each(Object.keys(operations))('names the query and the data of %s', (name) => {
    const type = name.charAt(0).toUpperCase() + name.slice(1);
    for (const end of ['Query', 'Data'])
      expect(door).toMatch(new RegExp(`export type \\{[^}]*\\b${type}${end}\\b[^}]*\\} from './operations/${name}.ts'`));
  });
});

describe('fieldsOf', () => {
  it('tells optional fields by the question mark', () => {
    expect(fieldsOf({ a: 'string', 'b?': 'integer' })).toEqual([
      { name: 'a', optional: false, shape: 'string' },
      { name: 'b', optional: true, shape: 'integer' },
    ]);
  });
});
