import { describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService } from '../../../src/index.ts';

const operations = {
  books: defineOperation({
    path: '/books',
    params: { q: { type: 'string', required: true } },
    response: { rows: [{ id: 'string' }] },
    list: 'rows',
    paging: { kind: 'none' },
  }),
};
const service = defineService({
  name: 'library',
  key: { header: 'authorization', prefix: 'Bearer ' },
  secrets: { appKey: { header: 'x-app' }, id: { param: 'id', env: 'LIBRARY_ID' } },
  operations,
});
const baseUrl = 'https://library.invalid';
const apiKey = 'key';

describe('the secrets of a service', () => {
  it.each<[what: string, secrets: { readonly [name: string]: string } | undefined, error: string]>([
    ['none', undefined, 'createClient: secrets.appKey is missing; give it as an option or set TRAWLER_APP_KEY'],
    ['one of two', { appKey: 'a' }, 'createClient: secrets.id is missing; give it as an option or set LIBRARY_ID'],
    ['another', { appkey: 'a', id: 'b' }, 'createClient: secrets.appkey is no secret of the service: it has appKey, id'],
    ['one with a line break', { appKey: 'a\n', id: 'b' }, 'createClient: secrets.appKey starts or ends with a blank or a line break; was it read from a file?'],
    ['one that a header cannot carry', { appKey: 'ä', id: 'b' }, "createClient: secrets.appKey contains a blank or another character that its header can't carry"],
  ])('must all be given: %s', (_, secrets, error) => {
    expect(() => createClient({ service, baseUrl, apiKey, secrets })).toThrow(error);
  }); // prettier-ignore

  it('are only those that are given, whatever they are called', () => {
    const odd = defineService({ name: 'library', secrets: { constructor: { header: 'x-app' } }, operations });
    expect(() => createClient({ service: odd, baseUrl })).toThrow(
      'secrets.constructor is missing; give it as an option or set TRAWLER_CONSTRUCTOR',
    );
  });

  it('are no secrets of another service', () => {
    expect(() => createClient({ baseUrl, apiKey, secrets: { id: 'a' } })).toThrow('secrets.id is no secret of the service: it has none');
  });

  it.each<[what: string, parts: object, error: string]>([
    ['two in one header', { secrets: { a: { header: 'x-a' }, b: { header: 'X-A' } } }, 'secrets.b has the header x-a, and so has secrets.a'],
    ['one where the key is', { key: { param: 'k' }, secrets: { a: { param: 'k' } } }, 'secrets.a has the parameter k, and so has key'],
    ['one in a parameter of an operation', { secrets: { a: { param: 'q' } } }, 'operations.books.params.q is the parameter that the key has; leave it out'],
    ['a prefix beside a value', { key: { header: 'x', prefix: 'A ', value: (key: string) => key } }, 'key has prefix and value; value makes the whole header'],
    ['a prefix of two lines', { key: { header: 'x', prefix: 'A\n' } }, "key.prefix contains a character that a header can't carry"],
    ['a misspelt field', { secrets: { a: { header: 'x', prefx: 'A ' } } }, "did you mean 'secrets.a.prefix'?"],
    ['a check that calls nothing', { check: { call: 'book' } }, 'did you mean books?'],
    ['a check that lacks a parameter', { check: { call: 'books' } }, 'check.with: '],
  ])('are refused where they can not be right: %s', (_, parts, error) => {
    expect(() => defineService({ name: 'library', operations, ...parts })).toThrow(error);
  }); // prettier-ignore
});
