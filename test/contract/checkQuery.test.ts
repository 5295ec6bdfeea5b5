import { describe, expect, it } from 'vitest';
import { checkQuery, defineOperation } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/Operation.ts';
import { operations } from '../../src/search/index.ts';

const { mapsReviews, mapsSearch, hotelSearch, imageSearch, scholarSearch, scholarAuthor, webSearch, immersiveProduct } = operations;
const messages = (operation: Operation, query: unknown) => checkQuery(operation, query as object).map(({ message }) => message);
const stay = { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-03' };

/** Enough of a query for each operation to be asked. */
const least = {
  webSearch: { query: 'x' },
  lightSearch: { query: 'x' },
  mobileSearch: { query: 'x' },
  autocomplete: { query: 'x' },
  aiMode: { query: 'x' },
  aiOverview: { url: 'https://engine.example/overview?x=1' },
  imageSearch: { query: 'x' },
  videoSearch: { query: 'x' },
  newsSearch: { query: 'x' },
  jobSearch: { query: 'x' },
  financeSearch: { query: 'x' },
  hotelSearch: stay,
  immersiveProduct: { page_token: 'x' },
  mapsSearch: { query: 'x' },
  mapsReviews: { data_id: 'x' },
  mapsPhotos: { data_id: 'x' },
  mapsPosts: { data_id: 'x' },
  scholarSearch: { query: 'x' },
  scholarAuthor: { author_id: 'x' },
  scholarProfiles: { mauthors: 'x' },
  patentDetails: { patent_id: 'x' },
} as const;

describe('checkQuery', () => {
  describe.each(Object.values(operations))('$name', (operation: Operation) => {
    const query: Record<string, unknown> = least[operation.name as keyof typeof least];

    it('accepts the required parameters alone, and each default', () => {
      expect(messages(operation, query)).toEqual([]);
      const defaults = Object.entries(operation.params).flatMap(([name, param]) =>
        param.default === undefined ? [] : [[name, param.default]],
      );
      expect(messages(operation, { ...Object.fromEntries(defaults), ...query })).toEqual([]);
    });

    it('requires each required parameter, and a value for it', () => {
      for (const name of Object.keys(query)) {
        expect(checkQuery(operation, { ...query, [name]: undefined })).toEqual([
          { param: name, message: `${name} is required: ${operation.params[name]!.about}` },
        ]);
        expect(checkQuery(operation, { ...query, [name]: ' ' }).map(({ param }) => param)).toEqual([name]);
      }
    });

    it('refuses values of another type, which it does not coerce', () => {
      for (const [name, { type }] of Object.entries(operation.params)) {
        for (const value of [null, [], {}, type === 'integer' ? '1' : 1, type === 'boolean' ? 'true' : true]) {
          expect(checkQuery(operation, { ...query, [name]: value }).map(({ param }) => param)).toContain(name);
        }
      }
    });

    it('refuses a parameter it does not have', () => {
      expect(checkQuery(operation, { ...query, zzz: 1 }).map(({ param }) => param)).toEqual(['zzz']);
    });
  });

  it('names the nearest right parameter', () => {
    expect(messages(mapsReviews, { data_id: 'x', sortBy: 'newestFirst' })).toEqual([
      '"sortBy" is not a parameter of mapsReviews; did you mean sort_by?',
    ]);
    expect(messages(mapsReviews, { dataId: 'x' })).toEqual([
      'data_id is required: the place',
      '"dataId" is not a parameter of mapsReviews; did you mean data_id?',
    ]);
  });

  it('lists the parameters when none is near', () => {
    expect(messages(mapsReviews, { data_id: 'x', zoom: 1 })).toEqual([
      '"zoom" is not a parameter of mapsReviews; it has data_id, language, sort_by, topic_id, next_page_token, results',
    ]);
  });

  it('reports all problems at once, rules included', () => {
    expect(
      checkQuery(hotelSearch, { ...stay, adults: 1.5, check_out_date: '2026-04-30', stars: 5 })
        .map(({ param }) => param)
        .sort(),
    ).toEqual(['adults', 'check_out_date', 'stars']);
  });

  it('takes undefined for not given', () => {
    expect(messages(mapsReviews, { data_id: 'x', results: undefined, unheard_of: undefined })).toEqual([]);
  });

  it.each([[null], ['text'], [[]], [undefined], [5]])('refuses %j for a query', (query) => {
    expect(messages(mapsReviews, query)).toEqual([expect.stringContaining('the query of mapsReviews must be an object, not ')]);
  });

  it('refuses __proto__ and constructor as parameters', () => {
    expect(
      checkQuery(mapsReviews, JSON.parse('{"data_id":"x","__proto__":1,"constructor":1}') as object).map(({ param }) => param),
    ).toEqual(['__proto__', 'constructor']);
  });

  it('shortens a bad value and escapes what a terminal would act on', () => {
    const [message] = messages(mapsReviews, { data_id: 'x', sort_by: `\u001b[31m${'x'.repeat(5000)}` });
    expect(message).toContain('not "\\u{1b}[31mxxx');
    expect(message!.length).toBeLessThan(200);
    const [issue] = checkQuery(mapsReviews, { data_id: 'x', [`\u0007${'y'.repeat(5000)}`]: 1 });
    expect(issue!.message).not.toContain('\u0007');
    expect(issue!.param.length).toBeLessThan(100);
  });

  it('refuses half a surrogate pair, which would be sent as something else', () => {
    expect(messages(webSearch, { query: 'caf\ud83d' })).toEqual([
      'query holds half a surrogate pair, which can\'t be sent: "caf\\u{d83d}"',
    ]);
    expect(messages(webSearch, { query: 'café 🍰' })).toEqual([]);
  });

  it('refuses an optional text that is empty', () => {
    expect(messages(webSearch, { query: 'x', uule: '' })).toEqual(['uule must not be empty; leave it out instead']);
  });

  it('keeps whole numbers within their bounds', () => {
    expect(messages(mapsReviews, { data_id: 'x', results: 20 })).toEqual([]);
    for (const results of [0, 21, 1.5, NaN, Infinity, 2 ** 60]) {
      expect(messages(mapsReviews, { data_id: 'x', results })).toEqual([`results must be a whole number from 1 to 20, not ${results}`]);
    }
    expect(messages(immersiveProduct, { page_token: 'x', sori: -1 })).toEqual(['sori must be a whole number, 0 or more, not -1']);
  });

  it('counts pages of a map in steps of 20', () => {
    expect(messages(mapsSearch, { query: 'x', page: 40 })).toEqual([]);
    expect(messages(mapsSearch, { query: 'x', page: 1 })).toEqual(['page must be a multiple of 20, 0 or more, not 1']);
  });

  it('accepts the listed values only', () => {
    expect(messages(scholarAuthor, { author_id: 'x', sort: 'title' })).toEqual([]);
    expect(messages(scholarAuthor, { author_id: 'x', sort: 'year' })).toEqual(['sort must be one of "title", "pubdate", not "year"']);
    expect(messages(operations.jobSearch, { query: 'x', ltype: '0' })).toEqual([]);
    const stay = { query: 'x', check_in_date: '2030-05-01', check_out_date: '2030-05-02' };
    expect(messages(hotelSearch, { ...stay, eco_certified: 'yes' })).toEqual(['eco_certified must be one of "1", "true", not "yes"']);
  });

  it('accepts other values where only examples are documented', () => {
    expect(messages(imageSearch, { query: 'x', imgsz: '70mp' })).toEqual([]);
  });

  it('accepts several of the listed values where several may be given', () => {
    expect(messages(hotelSearch, { ...stay, hotel_class: '4,5' })).toEqual([]);
    expect(messages(hotelSearch, { ...stay, hotel_class: '4,6' })).toEqual([
      'hotel_class must be one or more of "2", "3", "4", "5", separated by commas, not "4,6"',
    ]);
  });

  it('requires as many ages as children', () => {
    expect(messages(hotelSearch, { ...stay, children: 2, children_ages: '5,9' })).toEqual([]);
    expect(messages(hotelSearch, { ...stay, children: 2, children_ages: '5' })).toEqual([
      'children_ages must hold as many values as children says, which is 2; "5" holds 1',
    ]);
    expect(messages(hotelSearch, { ...stay, children_ages: '5' })).toEqual([
      'children_ages must hold as many values as children says, which is 0; "5" holds 1',
    ]);
  });

  it('requires the departure after the arrival', () => {
    for (const check_out_date of ['2026-05-01', '2025-12-31']) {
      expect(messages(hotelSearch, { ...stay, check_out_date })).toEqual([
        `check_out_date must be later than check_in_date (2026-05-01), not "${check_out_date}"`,
      ]);
    }
  });

  it('lets a period end on the day it starts, but not before', () => {
    expect(messages(imageSearch, { query: 'x', start_date: '20260501', end_date: '20260501' })).toEqual([]);
    expect(messages(imageSearch, { query: 'x', start_date: '20260501', end_date: '20260430' })).toEqual([
      'end_date must be no earlier than start_date (20260501), not "20260430"',
    ]);
    expect(messages(imageSearch, { query: 'x', end_date: '20260430' })).toEqual([]);
  });

  it('compares bounds as numbers', () => {
    expect(messages(hotelSearch, { ...stay, min_price: '90', max_price: '100' })).toEqual([]);
    expect(messages(hotelSearch, { ...stay, min_price: '100', max_price: '90' })).toEqual([
      'max_price must be at least min_price (100), not "90"',
    ]);
    expect(messages(scholarSearch, { query: 'x', as_ylo: '2021', as_yhi: '2020' })).toEqual([
      'as_yhi must be at least as_ylo (2021), not "2020"',
    ]);
  });

  it('requires the citation for its details', () => {
    expect(messages(scholarAuthor, { author_id: 'x', view_op: 'view_citation', citation_id: 'x:y' })).toEqual([]);
    expect(messages(scholarAuthor, { author_id: 'x', view_op: 'list_colleagues' })).toEqual([]);
    expect(checkQuery(scholarAuthor, { author_id: 'x', view_op: 'view_citation' })).toEqual([
      { param: 'citation_id', message: 'citation_id is required when view_op is "view_citation"' },
    ]);
  });

  it('says what to do about more ids than a request takes', () => {
    const operation = defineOperation({
      name: 'videos',
      get: '/videos',
      params: { ids: { type: 'strings', batch: 2 } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      id: 'id',
    });
    expect(messages(operation, { ids: ['a', 'b'] })).toEqual([]);
    expect(messages(operation, { ids: ['a', 'b', 'c'] })).toEqual([
      'ids takes up to 2 values in one request, not 3: make a query for each of them; queries that differ only in ids share requests',
    ]);
  });
});
