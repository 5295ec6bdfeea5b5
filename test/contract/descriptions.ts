import { defineOperation, defineService } from '../../src/contract/defineService.ts';
import type { Operation, Service } from '../../src/contract/index.ts';
import type { OperationInput } from '../../src/contract/Operation.ts';

/** A service whose operations are still data. */
export type Description = Omit<Service, 'operations' | 'fanOuts'> & {
  readonly operations: { readonly [name: string]: OperationInput };
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
const rows = { params: {}, path: '/x', response: { rows: [{ id: 'string' }] }, list: 'rows', paging: { kind: 'none' } } as const;
const plain = { name: 'plain', operations: { search: rows } } as const satisfies Description;

/** Right descriptions that have each field of the language at least once. */
export const descriptions: readonly Description[] = [
  {
    name: 'all',
    about: 'A service of all fields.',
    basePath: '/v2',
    nextPaths: ['/v3'],
    key: { header: 'x-key', value: (key) => `Bearer ${key}` },
    secrets: { app: { header: 'x-app', prefix: 'App ', env: 'APP' }, id: { param: 'app_id', env: 'ID' } },
    check: { call: 'editions', with: { id: '1' } },
    envelope: {
      data: 'data',
      code: { at: 'code', good: 200 },
      error: 'error',
      message: 'error.text',
      requestId: 'meta.id',
      timestamp: 'meta.time',
    },
    failures: [
      { status: 403, header: { 'x-left': '0' }, means: 'throttled', until: { header: 'x-reset', unit: 'epoch' } },
      { code: 'over', means: 'quota', until: { at: 'error.until', unit: 'date' } },
      { at: 'error.code', is: ['late', 'busy'], means: 'busy' },
    ],
    limit: { header: 'x-limit', form: 'used/size', perSecond: 2 },
    price: { default: 1, failed: 0 },
    groups: { Books: { requests: 30, perMs: 60_000 } },
    headers: { 'x-version': '2' },
    fixed: { format: 'json' },
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
        cost: 5,
        path: '/books',
        about: 'Books.',
        method: 'POST',
        body: { query: 'q' },
        bodyAs: 'json',
        format: 'json',
        job: { status: 202, at: 'job.url', until: { at: 'job.state', is: ['done'], failed: ['broken'] }, everyMs: 1000, maxMs: 60_000 },
        fixed: { lang: 'en' },
        headers: { accept: 'text/json' },
        repeatable: false,
        params: {
          words: { type: 'string', about: 'what', in: 'body', at: 'variables.q', name: 'q', required: true, default: 'sea', from: 'you' },
          tags: { type: 'strings', in: 'query', style: 'comma', known: ['new'], batch: 50, match: 'at.lat' },
          sort: { type: 'string', oneOf: ['new', 'old'] },
          size: { type: 'integer', min: 1, max: 20, step: 2 },
          from: { type: 'string', format: 'date' },
          to: { type: 'string', format: 'date' },
          cursor: text,
          before: text,
          ticket: { type: 'string', expires: { operation: 'editions', at: 'ticket', afterMs: 1000 } },
          view: text,
        },
        envelope: { data: 'payload' },
        response: {
          meta: { total: 'integer', about: 'integer', more: 'boolean' },
          next: 'string|null',
          previous: 'string|null',
          books: [{ id: 'string', day: 'string', at: { lat: 'number', lon: 'number' } }],
        },
        list: 'books',
        listUndocumented: true,
        id: 'id',
        claims: { at: 'meta.total', unless: ['from'] },
        estimates: 'meta.about',
        order: { param: 'sort', newest: 'new', time: 'day' },
        since: {
          field: 'day',
          param: 'from',
          as: 'date',
          template: 'gte|${since}',
          inclusive: false,
          lookback: '1d',
          fullEvery: '30d',
        },
        splits: {
          full: 100,
          area: {
            param: 'view',
            write: '{latitude},{longitude},{zoom}',
            latitude: 'at.lat',
            longitude: 'at.lon',
            words: 'words',
            zoom: [3, 20],
          },
          year: { first: 'from', last: 'to' },
        },
        answer: { blocks: 'books', references: 'books' },
        paging: {
          kind: 'cursor',
          param: 'cursor',
          at: ['next'],
          header: 'x-next',
          size: 10,
          previous: { param: 'before', at: ['previous'] },
          first: '*',
          more: 'meta.more',
          alone: ['size'],
          path: '/books/next',
          repeats: true,
        },
      },
      editions: {
        path: '/books/{id}/editions',
        conditional: true,
        params: { id: { type: 'string', required: true }, page: { type: 'integer' }, all: { type: 'boolean' } },
        response: {
          ticket: 'string',
          total: 'integer',
          more: 'boolean',
          editions: { $map: { title: 'string' }, $known: { first: { title: 'string' } } },
          kinds: { $oneOf: [{ type: '=a', n: 'integer' }, { type: '=b' }], $by: 'type', $open: true },
          maybe: { $nullable: { x: '~a|b: a word' } },
          guess: { $hint: ['number|string'] },
        },
        list: 'editions',
        keyed: 'id',
        outer: ['ticket'],
        paging: {
          kind: 'offset',
          param: 'page',
          first: 1,
          step: 20,
          more: 'more',
          total: 'total',
          pages: 'total',
          alone: ['page'],
          needs: ['all'],
          fixed: { all: true },
        },
      },
    },
  },
  {
    ...plain,
    key: { param: 'key' },
    operations: {
      search: {
        ...rows,
        params: { next: text },
        paging: { kind: 'cursor', param: 'next', at: [], undocumented: true, address: true, link: true, alone: true },
      },
    },
  },
  {
    ...plain,
    key: {
      header: 'x-key',
      prefix: 'Token ',
      token: { path: '/login', json: { user: '${user}', with: { word: '${password}' } }, at: 'auth.token', expires: 'auth.until' },
    },
  },
  {
    ...plain,
    key: {
      param: 'sid',
      token: {
        path: 'https://login.example/token',
        method: 'PUT',
        params: { tenant: '7' },
        headers: { 'x-login': '${basic}' },
        form: { grant_type: 'refresh_token', refresh_token: '${refresh}' },
        at: '',
        expires: 3600,
        refresh: { file: 'token.txt', at: 'refresh_token' },
      },
    },
  },
  { ...plain, key: { header: 'x-key', token: { path: '/login', json: { key: '${key}' }, inHeader: 'x-token' } } },
  { ...plain, key: { header: 'x-key', prefix: 'Bearer ' }, secrets: { id: { param: 'app_id' } } },
  { ...plain, key: { basic: true }, limit: { remaining: 'x-left', reset: 'x-reset' } },
  { ...plain, limit: { remaining: 'x-left' } },
  { ...plain, limit: { at: 'cost.now', remaining: 'left', size: 'size', perSecond: 'rate', cost: 'took' } },
  { ...plain, limit: { at: 'usage', used: 'used', size: 'size', reset: 'again' } },
  { ...plain, limit: { at: 'usage', form: 'remaining/size', perSecond: 2 } },
  {
    ...plain,
    key: { oauth2: { address: '/token', grant: 'refresh_token', send: 'body', scope: 'read', file: 'token.json' } },
    operations: {
      search: {
        ...rows,
        params: { after: text, size: text },
        paging: { kind: 'last', param: 'after', from: ['id'], more: 'more', size: 20, alone: ['size'] },
        response: { ...rows.response, more: 'boolean' },
      },
    },
  },
  {
    ...plain,
    key: { sign: () => ({ 'x-signed': 'yes' }) },
    operations: {
      search: { ...rows, conditional: true, params: { size: text }, paging: { kind: 'merge', at: 'continue', alone: ['size'] } },
    },
  },
];
