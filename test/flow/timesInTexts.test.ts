import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { PageFactory, PageLike } from '../../operators/index.ts';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { startServer } from '../client/startServer.ts';
import { errorOf } from '../client/testClient.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { byText, Said, startApi, type ApiQuery, type ApiRequest } from './startApi.ts';

const day = 86_400_000;
const days = 10;
const now = Date.now();
/** The day on which the rows begin. */
const first = new Date(now - 120 * day).toISOString().slice(0, 10);
const size = 20;

interface Row {
  readonly id: string;
  readonly time: number;
  readonly text: string;
}

/** Rows that come and change from day to day: two hundred at first, nine more or changed on each day. */
class World {
  readonly rows = new Map<string, Row>();
  /** An update asks for nothing before this time. */
  due = -Infinity;

  constructor() {
    for (let n = 0; n < 200; n++) this.put(n, Date.parse(first) + n * 0.54 * day, 'at first');
  }

  toDay(number: number): void {
    this.due = Math.max(...this.times) - 1.1 * day;
    for (let n = 0; n < 9; n++)
      this.put(n < 4 ? number * 7 + n : 300 + number * 9 + n, now - (days - number) * day - 60_000 * (9 - n), `day ${number}`);
  }

  get times(): readonly number[] {
    return Array.from(this.rows.values(), ({ time }) => time);
  }

  between(from: number, to: number): readonly Row[] {
    return [...this.rows.values()].filter(({ time }) => time >= from && time < to).toSorted((one, other) => one.time - other.time);
  }

  private put(n: number, time: number, text: string): void {
    this.rows.set(`r${n}`, { id: `r${n}`, time: Math.floor(time / 1000) * 1000, text });
  }
}

/** A source as its documentation has it, and what it says to a request. */
interface Source {
  readonly operation: object;
  readonly stage: object;
  readonly idAt: (row: object) => Row;
  readonly respond: (world: World, query: ApiQuery, request: ApiRequest) => object | string;
}

interface SearchBody {
  readonly query: {
    readonly operator: string;
    readonly value: readonly [{ readonly field: string; readonly operator: string; readonly value: number }];
  };
  readonly pagination: { readonly starting_after?: string };
}

const iso = (time: number): string => new Date(time).toISOString().replace('.000Z', '+0000');

const sources: { readonly [name: string]: Source } = {
  /** Bounds that are required, and at most 31 days apart; page numbers. */
  'PayPal: transactions within bounds': {
    operation: {
      get: '/v1/reporting/transactions',
      query: { fields: 'all', page_size: size, start_date: '${from:dateTime}', end_date: '${to:dateTime}', page: '${page:1}' },
      most: '31d',
      response: {
        transaction_details: [{ transaction_info: { transaction_id: 'string', transaction_updated_date: 'string', text: 'string' } }],
        total_pages: 'integer',
      },
      rows: 'transaction_details',
      id: 'transaction_info.transaction_id',
      time: 'transaction_info.transaction_updated_date',
      pages: 'total_pages',
    },
    stage: { split: { from: first } },
    idAt(row) {
      const { transaction_info: of } = row as { readonly transaction_info: { readonly [field: string]: string } };
      return { id: of['transaction_id']!, time: Date.parse(of['transaction_updated_date']!), text: of['text']! };
    },
    respond(world, { start_date: start, end_date: end, page = '1', fields, page_size }) {
      if (fields !== 'all' || page_size !== String(size) || start === undefined || end === undefined)
        return 'start_date and end_date are required';
      const [from, to] = [Date.parse(start), Date.parse(end)];
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(start) || to - from > 31 * day)
        return `a range of at most 31 days, not ${start} to ${end}`;
      if (from < world.due - day) return `an update asks from ${start}`;
      const found = world.between(from, to + 1);
      const rows = found.slice((Number(page) - 1) * size, Number(page) * size);
      return {
        transaction_details: rows.map(({ id, time, text }) => ({
          transaction_info: { transaction_id: id, transaction_updated_date: iso(time), text },
        })),
        total_pages: Math.ceil(found.length / size),
      };
    },
  },
  /** A search in a body, which must have a condition. */
  'Intercom: contacts by a search': {
    operation: {
      post: '/contacts/search',
      body: {
        query: { operator: 'AND', value: [{ field: 'updated_at', operator: '>', value: '${since-1s:seconds}' }] },
        pagination: { per_page: size, starting_after: '${cursor}' },
      },
      response: { data: [{ id: 'string', updated_at: 'integer', text: 'string' }], 'pages?': { next: { starting_after: 'string' } } },
      rows: 'data',
      id: 'id',
      time: { at: 'updated_at', as: 'seconds' },
      next: 'pages.next.starting_after',
    },
    stage: {},
    idAt(row) {
      const { id, updated_at, text } = row as { readonly id: string; readonly updated_at: number; readonly text: string };
      return { id, time: updated_at * 1000, text };
    },
    respond(world, _, { body }) {
      const { query, pagination } = body as SearchBody;
      const [{ field, operator, value }] = query.value;
      if (query.operator !== 'AND' || field !== 'updated_at' || operator !== '>' || !Number.isInteger(value)) return 'a query is required';
      if (value * 1000 < world.due - 2000) return `an update asks from ${value}`;
      const found = world.between(value * 1000 + 1, Infinity);
      const from = Number(pagination.starting_after?.slice(1) ?? 0);
      const data = found.slice(from, from + size).map(({ id, time, text }) => ({ id, updated_at: time / 1000, text }));
      return { data, ...(from + size < found.length && { pages: { next: { starting_after: `t${from + size}` } } }) };
    },
  },
  /** A position and a time inside a text. */
  'QuickBooks: accounts by a query': {
    operation: {
      get: '/v3/company/7/query',
      query: {
        query: `SELECT * FROM Account WHERE MetaData.LastUpdatedTime >= '\${since}' STARTPOSITION \${offset:1} MAXRESULTS ${size}`,
      },
      response: { QueryResponse: { 'Account?': [{ Id: 'string', MetaData: { LastUpdatedTime: 'string' }, text: 'string' }] } },
      rows: 'QueryResponse.Account',
      id: 'Id',
      time: 'MetaData.LastUpdatedTime',
    },
    stage: { missing: 'empty' },
    idAt(row) {
      const of = row as { readonly Id: string; readonly MetaData: { readonly LastUpdatedTime: string }; readonly text: string };
      return { id: of.Id, time: Date.parse(of.MetaData.LastUpdatedTime), text: of.text };
    },
    respond(world, { query = '' }) {
      const [, since, position] =
        /^SELECT \* FROM Account WHERE MetaData\.LastUpdatedTime >= '([^']*)' STARTPOSITION (\d+) MAXRESULTS 20$/.exec(query) ?? [];
      if (since === undefined || Date.parse(since) < world.due) return `not understood, or too old: ${query}`;
      const found = world.between(Date.parse(since), Infinity).slice(Number(position) - 1, Number(position) - 1 + size);
      const Account = found.map(({ id, time, text }) => ({ Id: id, MetaData: { LastUpdatedTime: iso(time) }, text }));
      return { QueryResponse: found.length === 0 ? {} : { Account } };
    },
  },
  /** Each page of an incremental export has a token, also the last one. */
  'Zendesk: an incremental export': {
    operation: {
      get: '/api/v2/incremental/tickets/cursor.json',
      query: { start_time: '${since:seconds}', cursor: '${cursor}' },
      response: { tickets: [{ id: 'string', updated_at: 'string', text: 'string' }], after_cursor: 'string', end_of_stream: 'boolean' },
      rows: 'tickets',
      id: 'id',
      time: 'updated_at',
      next: 'after_cursor',
      done: 'end_of_stream',
    },
    stage: { with: { since: '1970-01-01' } },
    idAt(row) {
      const { id, updated_at, text } = row as { readonly id: string; readonly updated_at: string; readonly text: string };
      return { id, time: Date.parse(updated_at), text };
    },
    respond(world, { start_time, cursor }) {
      if (start_time === undefined || Number(start_time) * 1000 < world.due) return 'start_time is required, and not too old';
      const found = world.between(Number(start_time) * 1000, Infinity);
      const from = Number(cursor?.slice(1) ?? 0);
      const tickets = found.slice(from, from + size).map(({ id, time, text }) => ({ id, updated_at: iso(time), text }));
      return { tickets, after_cursor: `c${Math.min(found.length, from + size)}`, end_of_stream: from + size >= found.length };
    },
  },
  /** The list is the body, and the next page's address stands in a header. */
  'Okta: users by a filter': {
    operation: {
      get: '/api/v1/users',
      query: { filter: 'lastUpdated gt "${since-1s}"', limit: size },
      response: [{ id: 'string', lastUpdated: 'string', text: 'string' }],
      rows: '',
      id: 'id',
      time: 'lastUpdated',
      next: 'header:link',
    },
    stage: {},
    idAt(row) {
      const { id, lastUpdated, text } = row as { readonly id: string; readonly lastUpdated: string; readonly text: string };
      return { id, time: Date.parse(lastUpdated), text };
    },
    respond(world, { after = '0', ...query }) {
      const since = /^lastUpdated gt "(.*)"$/.exec(query['filter'] ?? '')?.[1];
      if (since === undefined || Date.parse(since) < world.due - 2000) return `not understood, or too old: ${query['filter']}`;
      const found = world.between(Date.parse(since) + 1, Infinity);
      const to = Number(after) + size;
      const next = `</api/v1/users?${new URLSearchParams({ ...query, after: String(to) }).toString()}>; rel="next"`;
      const users = found.slice(Number(after), to).map(({ id, time, text }) => ({ id, lastUpdated: iso(time), text }));
      return new Said(users, { link: `</api/v1/users>; rel="self"${to < found.length ? `, ${next}` : ''}` });
    },
  },
  /** A day in the address, and the next page's path in the body. */
  'Twilio: calls from a day on': {
    operation: {
      get: '/2010-04-01/Accounts/AC1/Calls.json',
      query: { 'StartTime>': '${since:date}', PageSize: size },
      response: { calls: [{ sid: 'string', start_time: 'string', text: 'string' }], next_page_uri: 'string|null' },
      rows: 'calls',
      id: 'sid',
      time: 'start_time',
      next: 'next_page_uri',
    },
    stage: {},
    idAt(row) {
      const { sid, start_time, text } = row as { readonly sid: string; readonly start_time: string; readonly text: string };
      return { id: sid, time: Date.parse(start_time), text };
    },
    respond(world, { 'StartTime>': since = '1970-01-01', Page = '0' }) {
      if (Date.parse(since) < world.due - day) return `an update asks from ${since}`;
      const found = world.between(Date.parse(since), Infinity);
      const from = Number(Page) * size;
      const calls = found.slice(from, from + size).map(({ id, time, text }) => ({ sid: id, start_time: iso(time), text }));
      const next = new URLSearchParams({ 'StartTime>': since, PageSize: String(size), Page: String(Number(Page) + 1) }).toString();
      return { calls, next_page_uri: from + size < found.length ? `/2010-04-01/Accounts/AC1/Calls.json?${next}` : null };
    },
  },
  /** Newest first; a page begins after the last row of the one before. */
  'Stripe: charges after a row': {
    operation: {
      get: '/v1/charges',
      query: { 'created[gte]': '${since:seconds}', limit: size, starting_after: '${last.id}' },
      response: { data: [{ id: 'string', created: 'integer', text: 'string' }], has_more: 'boolean' },
      rows: 'data',
      id: 'id',
      time: 'created',
      more: 'has_more',
    },
    stage: {},
    idAt(row) {
      const { id, created, text } = row as { readonly id: string; readonly created: number; readonly text: string };
      return { id, time: created * 1000, text };
    },
    respond(world, { 'created[gte]': since = '0', starting_after: after }) {
      if (Number(since) * 1000 < world.due) return `an update asks from ${since}`;
      const found = world.between(Number(since) * 1000, Infinity).toReversed();
      const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
      const data = found.slice(from, from + size).map(({ id, time, text }) => ({ id, created: time / 1000, text }));
      return { data, has_more: from + size < found.length };
    },
  },
  /** The time stands inside of a query language, in a body. */
  'Jira: issues by JQL': {
    operation: {
      post: '/rest/api/3/search/jql',
      body: { jql: 'updated >= ${since:ms} ORDER BY updated', maxResults: size, nextPageToken: '${cursor}' },
      response: {
        issues: [{ id: 'string', fields: { updated: 'string', text: 'string' } }],
        'nextPageToken?': 'string',
        isLast: 'boolean',
      },
      rows: 'issues',
      id: 'id',
      time: 'fields.updated',
      next: 'nextPageToken',
      done: 'isLast',
    },
    stage: {},
    idAt(row) {
      const { id, fields } = row as { readonly id: string; readonly fields: { readonly updated: string; readonly text: string } };
      return { id, time: Date.parse(fields.updated), text: fields.text };
    },
    respond(world, _, { body }) {
      const { jql, nextPageToken } = body as { readonly jql: string; readonly nextPageToken?: string };
      const since = /^updated >= (\d+) ORDER BY updated$/.exec(jql)?.[1];
      if (since === undefined || Number(since) < world.due) return `not understood, or too old: ${jql}`;
      const found = world.between(Number(since), Infinity);
      const from = Number(nextPageToken?.slice(1) ?? 0);
      const issues = found.slice(from, from + size).map(({ id, time, text }) => ({ id, fields: { updated: iso(time), text } }));
      const isLast = from + size >= found.length;
      return { issues, isLast, ...(!isLast && { nextPageToken: `t${from + size}` }) };
    },
  },
  /** One day with each request, in the path; the rows are in a list of a list. */
  'Wikipedia: a day in the path': {
    operation: {
      get: "/metrics/pageviews/top/en.wikipedia/all-access/${from:'YYYY/MM/DD'}",
      response: { items: [{ project: 'string', articles: [{ id: 'string', at: 'string', text: 'string' }] }] },
      rows: 'items[].articles',
      outer: ['project'],
      id: 'id',
      time: 'at',
    },
    stage: { split: { from: first } },
    idAt(row) {
      const { id, at, text } = row as { readonly id: string; readonly at: string; readonly text: string };
      return { id, time: Date.parse(at), text };
    },
    respond(world, _, { path }) {
      const [, date] = /^\/metrics\/pageviews\/top\/en\.wikipedia\/all-access\/(\d{4}\/\d\d\/\d\d)$/.exec(path) ?? [];
      const begin = Date.parse((date ?? '').replaceAll('/', '-'));
      if (date === undefined || begin < world.due - day) return `no day, or too old: ${path}`;
      const articles = world.between(begin, begin + day).map(({ id, time, text }) => ({ id, at: iso(time), text }));
      return { items: [{ project: 'en.wikipedia', articles }] };
    },
  },
};

describe.each(ofTheDay(Object.entries(sources), 1))('%s', (name, { operation, stage, idAt, respond }) => {
  it('have all rows, and after ten days of updates, one of them killed, those of a fresh crawl', async () => {
    const world = new World();
    await using api = await startApi(`times-${name.replaceAll(/\W+/g, '-')}`, operation, (query, request) =>
      respond(world, query, request),
    );
    const updated = { ...stage, since: { lookback: '1d' } };
    const all = async (): Promise<readonly Row[]> => (await api.rows()).map(idAt).toSorted((one, other) => byText(one.id, other.id));
    const known = (): readonly Row[] => [...world.rows.values()].toSorted((one, other) => byText(one.id, other.id));
    expect(await api.run(updated)).toMatchObject({ code: 0 });
    expect(await all()).toEqual(known());
    for (let number = 1; number <= days; number++) {
      world.toDay(number);
      if (number === 6) await api.kill(updated, 1, '--update');
      expect((await api.run(updated, '--update')).stderr).not.toContain('failed');
      expect(await all()).toEqual(known());
    }
  }, 120_000);
});

describe('values beside times', () => {
  const operation = defineOperation({
    post: '/rows/${q}',
    query: { filter: 'q:${q} since:${since:date}', from: '${from}' },
    headers: { 'x-since': '${since:seconds}' },
    body: { text: '${q}', at: ['${since}', { to: '${to:ms}', q: '${q}: ${since:date}' }], now: '${now-1d:date}' },
    params: { q: { type: 'string', required: true } },
    response: { rows: [{ id: 'string' }] },
    rows: 'rows',
  });
  const service = defineService({
    name: 'texts',
    headers: { authorization: 'Bearer ${key}' },
    operations: { rows: { ...operation, name: 'rows' } },
  } as never);

  it.each(
    [
      '${key}',
      '${since}',
      '${',
      '}',
      '"}',
      "' OR '1'='1",
      ':date',
      '__proto__',
      'constructor',
      '${now:',
      '%2e%2e',
      'ü → 木',
      'x'.repeat(1000),
    ].map((q) => [q]),
  )('are never read again: %j', async (q) => {
    const seen: { url: string; body: string; since: unknown }[] = [];
    await using server = await startServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ url: request.url!, body: Buffer.concat(chunks).toString(), since: request.headers['x-since'] });
        response.end(JSON.stringify({ rows: [] }));
      });
    });
    await using client = createClient({ service, baseUrl: server.url, apiKey: 'the-secret-key' } as never);
    const { rows } = client as unknown as { readonly rows: PageFactory<object, PageLike> };
    await lastValueFrom(rows({ q, since: '2026-01-31T09:00:00+02:00', to: '2026-02-01' }));
    const [{ url, body, since }] = seen as [(typeof seen)[number]];
    expect(url.slice(0, url.indexOf('?'))).toBe(`/rows/${encodeURIComponent(q)}`);
    expect(new URL(url, server.url).searchParams.get('filter')).toBe(`q:${q} since:2026-01-31`);
    expect(new URL(url, server.url).searchParams.has('from')).toBe(false);
    const yesterday = new Date(Date.now() - day).toISOString().slice(0, 10);
    expect(JSON.parse(body)).toEqual({
      text: q,
      at: ['2026-01-31T07:00:00Z', { to: Date.UTC(2026, 1, 2), q: `${q}: 2026-01-31` }],
      now: yesterday,
    });
    expect(since).toBe(String(Date.UTC(2026, 0, 31, 7) / 1000));
    expect(url + body).not.toContain('the-secret-key');
  });

  it.each([['2026-02-30'], ['${now}'], ['2026-01-31T00:00:00'], ['now'], ['constructor'], ["2026-01-31' OR 1"], ['9'.repeat(100_000)]])(
    'are refused where they are no time: %.40s',
    async (since) => {
      await using client = createClient({ service, baseUrl: 'http://127.0.0.1:9', apiKey: 'the-secret-key' } as never);
      const { rows } = client as unknown as { readonly rows: PageFactory<object, PageLike> };
      const error = await errorOf(rows({ q: 'x', since }));
      expect(error).toMatchObject({ name: 'InvalidQueryError' });
      expect(String(error)).toContain('since must be a day that exists, as YYYY-MM-DD, or a time such as 2026-01-31T09:00:00Z');
      expect(String(error).length).toBeLessThan(400);
    },
  );
});

describe('the time of a row', () => {
  const operation = {
    query: { since: '${since}' },
    response: { rows: [{ id: 'string', hour: 'string' }] },
    rows: 'rows',
    id: 'id',
    params: {},
  };

  const started = (name: string, time: object, hour: string) =>
    startApi(`times-row-${name.replaceAll(/\W+/g, '-')}`, { ...operation, ...time }, () => ({
      rows: [
        { id: 'a', hour },
        { id: 'b', hour },
      ],
    }));

  it.each<[string, object, string]>([
    ['digits that are a day and an hour', { time: 'hour' }, `'hour', which isn't written as a date, or as seconds or milliseconds`],
    ['another form than the declared one', { time: { at: 'hour', as: 'date' } }, `"2024020900" in 'hour', which isn't written as date`],
  ])('can not be %s, which is said once', async (name, time, fault) => {
    await using api = await started(name, time, '2024020900');
    const { code, stderr } = await api.run({ since: { lookback: '1h' } });
    expect([code, stderr.split(fault)]).toEqual([1, expect.objectContaining({ length: 2 })]);
  });

  it.each<[string, object, string]>([
    ['the declared pattern', { time: { at: 'hour', as: 'YYYYMMDDHH' } }, '2024020900'],
    ['seconds', { time: 'hour' }, '1707436800'],
  ])('may be %s', async (name, time, hour) => {
    await using api = await started(name, time, hour);
    expect(await api.run({ since: { lookback: '1h' } })).toMatchObject({ code: 0 });
    expect(await api.run({ since: { lookback: '1h' } }, '--update')).toMatchObject({ code: 0 });
    expect(api.requests.map(({ since }) => since)).toEqual([undefined, '2024-02-08T23:00:00Z']);
  });
});
