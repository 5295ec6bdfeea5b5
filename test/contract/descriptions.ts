import { defineOperation, defineService } from '../../src/contract/defineService.ts';
import type { Operation, Service } from '../../src/contract/index.ts';
import type { OperationInput } from '../../src/contract/Operation.ts';
import type { SearchOperation } from '../../src/contract/SearchWords.ts';

/** A service whose operations are still data. */
export type Description = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: { readonly [name: string]: OperationInput & SearchOperation };
  readonly fanOuts?: Service['fanOuts'];
};

export function define(description: Description): Service {
  const defined = Object.entries(description.operations ?? {}).map(([name, spec]): [string, Operation] => [
    name,
    defineOperation({ name, ...spec }),
  ]);
  const operations = defined.length === 0 ? (description.operations as object as Service['operations']) : Object.fromEntries(defined);
  return defineService({ ...description, operations });
}

const text = { type: 'string' } as const;
const rows = { params: {}, get: '/x', response: { rows: [{ id: 'string' }] }, rows: 'rows' } as const;
export const plain = { name: 'plain', operations: { search: rows } } as const satisfies Description;

/** Right descriptions that have each field of the language at least once. */
export const descriptions: readonly Description[] = [
  {
    name: 'all',
    about: 'A service of all fields.',
    baseUrl: 'https://api.example.com/v2',
    account: { call: 'editions', with: { id: '1' }, left: 'total', used: 'total' },
    envelope: {
      data: 'data',
      code: { at: 'code', is: 200 },
      error: 'error',
      message: 'error.text',
      requestId: 'meta.id',
      timestamp: 'meta.time',
    },
    failures: [
      { status: 403, at: 'header:x-left', is: '0', means: 'throttled', until: 'header:x-reset' },
      { at: 'code', is: 'over', means: 'quota', until: 'error.until' },
      { at: 'error.code', is: ['late', 'busy'], means: 'busy' },
      { at: 'error.text', is: '*not found.', means: 'empty' },
    ],
    limits: {
      default: { at: 'meta.limit', remaining: 'left', reset: 'again' },
      Books: { requests: 30, perMs: 60_000 },
    },
    price: { default: 1, failed: 0 },
    headers: { 'x-key': 'Bearer ${key}', 'x-app': 'App ${secret.app}', 'x-version': '2' },
    query: { app_id: '${secret.id}', format: 'json' },
    examples: { call: [['trawler call search', 'one page']] },
    fanOuts: {
      bookEditions: {
        call: 'editions',
        about: 'editions of each book',
        rows: 'books',
        with: { id: ['$.id', { of: '$.link', before: ':', split: ',', param: 'id' }] },
        by: ['id'],
        unlessZero: ['$.count'],
        claims: '$.count',
        walks: true,
        expires: true,
      },
    },
    operations: {
      search: {
        name: 'search',
        title: 'Search',
        group: 'Books',
        post: '/books',
        about: 'Books.',
        body: { query: 'q', variables: { q: '${words}' }, cursor: '${cursor:*}' },
        format: 'json',
        failures: [{ status: 410, means: 'empty' }],
        job: { at: 'job.id', get: '/jobs/${id}', until: { at: 'job.state', is: ['done'] }, everyMs: 1000 },
        query: { lang: 'en', tags: '${tags:comma}', changed: 'gte|${since:seconds}', begin: '${from}', end: "${to+1d:'YYYY/MM/DD'}" },
        headers: { accept: 'text/json' },
        params: {
          words: { type: 'string', about: 'what', required: true, default: 'sea', from: 'you' },
          tags: { type: 'strings', known: ['new'], batch: { size: 50, id: 'at.lat' } },
          sort: { type: 'string', oneOf: ['new', 'old'], values: { new: 'latest' } },
          size: { type: 'integer', min: 1, max: 20, step: 2 },
          first: { type: 'string', format: 'date' },
          last: { type: 'string', format: 'date' },
          before: text,
          ticket: text,
          view: text,
        },
        envelope: { data: 'payload' },
        response: {
          meta: { total: 'integer', about: 'integer', more: 'boolean' },
          next: 'string|null',
          previous: 'string|null',
          books: [{ id: 'string', day: 'string', at: { lat: 'number', lon: 'number' }, label: 'string' }],
        },
        rows: 'books',
        columns: { name: 'label' },
        listUndocumented: true,
        id: 'id',
        total: 'meta.total',
        estimates: 'meta.about',
        time: { at: 'day', as: 'YYYY-MM-DD HH' },
        most: '31d',
        order: { sort: 'new' },
        recheck: 'always',
        splits: {
          full: 100,
          area: {
            param: 'view',
            write: '{latitude},{longitude},{zoom}',
            latitude: 'at.lat',
            longitude: 'at.lon',
            words: 'words',
            zoom: [3, 20],
            sight: [4, 3],
          },
          year: { first: 'first', last: 'last' },
        },
        answer: { blocks: 'books', references: 'books' },
        next: ['header:x-next', 'next'],
        more: 'meta.more',
        size: 10,
        alone: ['size'],
        nextPath: '/books/next',
        repeats: true,
      },
      editions: {
        get: '/books/${id}/editions',
        params: { id: { type: 'string', required: true }, all: { type: 'boolean' } },
        response: {
          ticket: 'string',
          total: 'integer',
          more: 'boolean',
          editions: { $map: { title: 'string' }, $known: { first: { title: 'string' } } },
          kinds: { $oneOf: [{ type: '=a', n: 'integer' }, { type: '=b' }], $by: 'type', $open: true },
          maybe: { $nullable: { x: '~a|b: a word' } },
          guess: { $hint: ['number|string'] },
        },
        rows: 'editions',
        keyed: 'id',
        outer: ['ticket'],
        query: { page: '${offset:1}' },
        size: 20,
        more: 'more',
        pages: 'total',
        alone: ['all'],
        total: 'total',
      },
    },
  },
  {
    ...plain,
    query: { key: '${key}' },
    operations: {
      posted: { post: '/books', form: { lang: 'en' }, params: {}, response: { rows: ['string'] }, rows: 'rows' },
      search: {
        ...rows,
        response: { ...rows.response, last: 'boolean' },
        next: 'header:link',
        done: 'last',
      },
    },
  },
  {
    ...plain,
    headers: { 'x-key': 'Token ${token}' },
    token: {
      post: '/login',
      body: { user: '${secret.user}', with: { word: '${secret.password}' } },
      at: 'auth.token',
      expires: 'auth.until',
    },
  },
  {
    ...plain,
    query: { sid: '${token}' },
    token: {
      post: 'https://login.example/token',
      query: { tenant: '7' },
      headers: { 'x-login': '${basic}' },
      form: { grant_type: 'refresh_token', refresh_token: '${refresh}' },
      at: '',
      expires: 3600,
      refresh: { file: 'token.txt', at: 'refresh_token' },
    },
  },
  { ...plain, headers: { 'x-key': '${token}' }, token: { post: '/login', body: { key: '${key}' }, at: 'header:x-token' } },
  { ...plain, operations: { search: { get: '/x', row: { id: 'string' }, rows: 'data[].rows' } } },
  { ...plain, query: { app_id: '${secret.id}' }, headers: { 'x-key': 'Bearer ${key}' } },
  { ...plain, headers: { authorization: 'Basic ${basic}' }, limits: { default: { remaining: 'x-left', reset: 'x-reset' } } },
  { ...plain, limits: { default: { remaining: 'x-left' } } },
  {
    ...plain,
    headers: { authorization: 'Bearer ${token}' },
    token: { get: '/token', query: { tenant: '7', key: '${secret.word}' }, at: 'access' },
    operations: {
      search: {
        ...rows,
        params: { size: text },
        query: { after: '${last.id}' },
        more: 'more',
        size: 20,
        alone: ['size'],
        response: { ...rows.response, more: 'boolean' },
      },
    },
  },
  {
    ...plain,
    sign: () => ({ 'x-signed': 'yes' }),
    operations: {
      search: {
        ...rows,
        response: { ...rows.response, 'continue?': 'object' },
        params: { size: text },
        merge: 'continue',
        alone: ['size'],
      },
    },
  },
];
