import { describe, expect, it } from 'vitest';
import { createClient, defineOperation, defineService } from '../../../src/index.ts';

const operations = {
  books: defineOperation({
    get: '/books',
    params: { q: { type: 'string', required: true } },
    response: { rows: [{ id: 'string' }] },
    rows: 'rows',
  }),
};
const service = defineService({
  name: 'library',
  query: { id: '${secret.id}' },
  headers: { authorization: 'Bearer ${key}', 'x-app': '${secret.appKey}' },
  operations,
});
const baseUrl = 'https://library.invalid';
const apiKey = 'key';

describe('the secrets of a service', () => {
  it.each<[what: string, secrets: { readonly [name: string]: string } | undefined, error: string]>([
    ['none', undefined, 'createClient: secrets.id is missing; give it as an option or set TRAWLER_ID'],
    ['one of two', { appKey: 'a' }, 'createClient: secrets.id is missing; give it as an option or set TRAWLER_ID'],
    ['another', { appkey: 'a', id: 'b' }, 'createClient: secrets.appkey is no secret of the service: it has id, appKey'],
    ['one with a line break', { appKey: 'a\n', id: 'b' }, 'createClient: secrets.appKey starts or ends with a blank or a line break; was it read from a file?'],
    ['one that a header cannot carry', { appKey: 'ä', id: 'b' }, "createClient: secrets.appKey contains a blank or another character that its header can't carry"],
  ])('must all be given: %s', (_, secrets, error) => {
    expect(() => createClient({ service, baseUrl, apiKey, secrets })).toThrow(error);
  }); // prettier-ignore

  it('are only those that are given, whatever they are called', () => {
    const odd = defineService({ name: 'library', headers: { 'x-app': '${secret.constructor}' }, operations });
    expect(() => createClient({ service: odd, baseUrl })).toThrow(
      'secrets.constructor is missing; give it as an option or set TRAWLER_CONSTRUCTOR',
    );
  });

  it('are no secrets of another service', () => {
    expect(() => createClient({ baseUrl, apiKey, secrets: { id: 'a' } })).toThrow('secrets.id is no secret of the service: it has none');
  });

  it.each<[what: string, parts: object, error: string]>([
    ['a parameter, which only an operation has', { headers: { 'x-a': '${q}' } }, 'headers.x-a has ${q}, and there is ${key}, ${basic}, ${token}, ${secret.name} and ${env.NAME}: all requests of a service can have a secret only'],
    ['a misspelt name', { query: { k: '${kye}' } }, 'query.k has ${kye}, did you mean ${key}?'],
    ['a header of two lines', { headers: { x: 'A\n${key}' } }, "headers.x must be a text of one line"],
    ['an account that calls nothing', { account: { call: 'book' } }, 'did you mean books?'],
    ['an account that lacks a parameter', { account: { call: 'books' } }, 'account.with: '],
  ])('are refused where they can not be right: %s', (_, parts, error) => {
    expect(() => defineService({ name: 'library', operations, ...parts })).toThrow(error);
  }); // prettier-ignore
});
