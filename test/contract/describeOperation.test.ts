import { describe, expect, it } from 'vitest';
import { defineOperation, describeOperation, listsOf } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';

const paramOf = (operation: Parameters<typeof describeOperation>[0], name: string) =>
  describeOperation(operation).params.find((param) => param.name === name);

describe('describeOperation', () => {
  it('says what a parameter takes', () => {
    expect(paramOf(operations.mapsReviews, 'results')).toEqual({
      name: 'results',
      type: 'integer',
      required: false,
      default: 10,
      allowed: 'a whole number from 1 to 20',
      about: 'reviews per page',
      from: '',
      sentAs: '',
    });
    expect(paramOf(operations.mapsReviews, 'data_id')).toMatchObject({ required: true, allowed: '', from: 'mapsSearch' });
    expect(paramOf(operations.webSearch, 'safe')).toMatchObject({ default: 'off', allowed: 'one of "active", "off"' });
    expect(paramOf(operations.videoSearch, 'result_time')).toMatchObject({ allowed: 'a text such as "qdr:d", "qdr:w"' });
    expect(paramOf(operations.webSearch, 'filter')).toMatchObject({ default: undefined, about: expect.stringContaining('default') });
  });

  it('says where parameters are sent, and by which method', () => {
    const operation = defineOperation({
      post: '/x/${id}',
      body: { variables: { q: '${q}' } },
      headers: { 'x-mask': '${mask}' },
      query: { p: '${page}' },
      params: {
        id: { type: 'string', required: true },
        q: { type: 'string' },
        mask: { type: 'string' },
        page: { type: 'integer' },
      },
      response: { rows: ['string'] },
      rows: 'rows',
    });
    const { method, params } = describeOperation(operation);
    expect([method, ...params.map((param) => param.sentAs)]).toEqual(['POST', '', 'the body', 'the header x-mask', 'p in the address']);
  });

  it('says the rules', () => {
    expect(describeOperation(operations.hotelSearch).rules).toEqual([
      'check_out_date is a later day than check_in_date',
      'children_ages holds as many values as children says',
      'max_price is at least min_price',
    ]);
    expect(describeOperation(operations.scholarAuthor).rules).toEqual(['citation_id is required with view_op "view_citation"']);
    expect(describeOperation(operations.imageSearch).rules).toEqual(['end_date is the same day as or a later day than start_date']);
  });

  it('says how to get the next page', () => {
    expect(describeOperation(operations.mapsSearch).paging).toBe('page grows by 20 a page; pages after the first need ll');
    expect(describeOperation(operations.immersiveProduct).paging).toBe('sori grows by the number of rows received, with stores true');
    expect(describeOperation(operations.scholarProfiles).paging).toBe(
      'after_author takes the token of the page before, from pagination.next_page_token or next_page_token or pagination.next',
    );
    expect(describeOperation(operations.aiMode).paging).toBe('');
  });

  it.each(Object.values(operations))('has words for each parameter of $name', (operation) => {
    const { params, title, about } = describeOperation(operation);
    expect([title, about, ...params.map((param) => param.about)].every((text) => text.length > 3)).toBe(true);
  });
});

describe('listsOf', () => {
  it('gives the lists of a response with their fields', () => {
    expect(listsOf(operations.mapsPhotos)).toEqual([
      { path: 'categories', default: false, columns: ['name', 'id'] },
      { path: 'photos', default: true, columns: ['thumbnail', 'image'] },
    ]);
    expect(listsOf(operations.financeSearch).map(({ path }) => path)).toContain('markets.Crypto');
    expect(listsOf(operations.aiMode)[0]).toEqual({ path: 'inline_images', default: false, columns: [] });
  });
});
