import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { valueAt } from '../../operators/kit/path.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { type FlowDefinition, runFlow } from '../../src/flow/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { startServer } from '../client/startServer.ts';
import { ofTheDay } from '../ofTheDay.ts';
import type { Sent } from './heldOut.ts';

interface Row {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly updated: number;
}
/** A source that can be asked for what changed, as its documentation says. */
interface Updated {
  readonly service?: object;
  readonly operation: object;
  /** What the first run asks for. */
  readonly given?: object;
  /** From when on it is asked, in milliseconds. undefined: everything. */
  readonly asked: (sent: Sent) => number | undefined;
  /** Some of the rows that it was asked for, and how to get the next ones. */
  readonly page: (rows: readonly Row[], sent: Sent) => object;
}

const size = 5;
const [hour, day] = [3_600_000, 86_400_000];
const bearer = { headers: { authorization: 'Bearer ${key}' } };
const iso = (time: number): string => new Date(time).toISOString();
const sliced = (rows: readonly Row[], from: number): readonly Row[] => rows.slice(from, from + size);
const timeIn = (value: string | undefined): number | undefined => (value === undefined ? undefined : Date.parse(value));

const sources: { readonly [name: string]: Updated } = {
  'Jira JQL': {
    operation: {
      post: '/rest/api/3/search/jql',
      body: { jql: 'updated >= ${since:ms} ORDER BY updated', nextPageToken: '${cursor}' },
      response: { issues: [{ id: 'string', fields: { updated: 'string' } }], 'nextPageToken?': 'string' },
      rows: 'issues',
      time: 'fields.updated',
      next: 'nextPageToken',
    },
    asked({ b }) {
      const [, time] = /^updated >= (\d+) ORDER BY updated$/.exec(b['jql']) ?? [];
      return time === '0' ? undefined : Number(time);
    },
    page(rows, { b }) {
      const from = Number(b['nextPageToken']?.slice(1) ?? 0);
      const issues = sliced(rows, from).map(({ id, updated }) => ({ id, fields: { updated: iso(updated) } }));
      return { issues, ...(from + size < rows.length && { nextPageToken: `t${from + size}` }) };
    },
  },
  'Zendesk incremental': {
    operation: {
      get: '/api/v2/incremental/tickets/cursor.json',
      query: { start_time: '${since:seconds}', cursor: '${cursor}' },
      response: { tickets: [{ id: 'string', updated_at: 'string' }], after_cursor: 'string' },
      rows: 'tickets',
      time: 'updated_at',
      next: 'after_cursor',
    },
    given: { since: '1970-01-01' },
    asked: ({ p }) => (p['start_time'] === '0' ? undefined : Number(p['start_time']) * 1000),
    page(rows, { p }) {
      const from = Number(p['cursor']?.slice(1) ?? 0);
      const tickets = sliced(rows, from).map(({ id, updated }) => ({ id, updated_at: iso(updated) }));
      return { tickets, after_cursor: `c${Math.min(rows.length, from + size)}` };
    },
  },
  Klaviyo: {
    service: { headers: { authorization: 'Klaviyo-API-Key ${key}' } },
    operation: {
      get: '/api/profiles',
      query: { filter: 'greater-or-equal(updated,${since})' },
      response: { data: [{ id: 'string', attributes: { updated: 'string' } }], links: { next: 'string|null' } },
      rows: 'data',
      time: 'attributes.updated',
      next: 'links.next',
    },
    asked: ({ p }) => timeIn(/^greater-or-equal\(updated,(.*)\)$/.exec(p['filter'] ?? '')?.[1]) || undefined,
    page(rows, { p, self }) {
      const from = Number(p['page[cursor]'] ?? 0);
      const more = new URLSearchParams({ ...p, 'page[cursor]': String(from + size) }).toString();
      const next = from + size < rows.length ? `${self}/api/profiles?${more}` : null;
      return { data: sliced(rows, from).map(({ id, updated }) => ({ id, attributes: { updated: iso(updated) } })), links: { next } };
    },
  },
  /** The time stands deep in the body, in a filter that each request has. */
  'HubSpot search': {
    service: bearer,
    operation: {
      post: '/crm/v3/objects/contacts/search',
      body: {
        filterGroups: [{ filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: '${since:ms}' }] }],
        after: '${cursor}',
      },
      response: { results: [{ id: 'string', updatedAt: 'string' }], 'paging?': { next: { after: 'string' } } },
      rows: 'results',
      time: 'updatedAt',
      next: 'paging.next.after',
    },
    asked({ b }) {
      const { propertyName, operator, value } = b['filterGroups'][0].filters[0];
      return propertyName !== 'lastmodifieddate' || operator !== 'GTE' ? Number.NaN : value === 0 ? undefined : Number(value);
    },
    page(rows, { b }) {
      const from = Number(b['after'] ?? 0);
      const results = sliced(rows, from).map(({ id, updated }) => ({ id, updatedAt: iso(updated) }));
      return { results, ...(from + size < rows.length && { paging: { next: { after: String(from + size) } } }) };
    },
  },
  Harvest: {
    service: bearer,
    operation: {
      get: '/v2/time_entries',
      query: { updated_since: '${since}', page: '${page:1}' },
      response: { time_entries: [{ id: 'string', updated_at: 'string' }], total_pages: 'integer' },
      rows: 'time_entries',
      time: 'updated_at',
      pages: 'total_pages',
    },
    asked: ({ p }) => timeIn(p['updated_since']),
    page(rows, { p }) {
      const time_entries = sliced(rows, (Number(p['page'] ?? 1) - 1) * size).map(({ id, updated }) => ({ id, updated_at: iso(updated) }));
      return { time_entries, total_pages: Math.ceil(rows.length / size) };
    },
  },
  /** A query without rows is a 404 there. */
  Gong: {
    service: { headers: { authorization: 'Basic ${basic}' }, failures: [{ status: 404, means: 'empty' }] },
    operation: {
      get: '/v2/calls',
      query: { fromDateTime: '${since}', cursor: '${cursor}' },
      response: { records: { totalRecords: 'integer', 'cursor?': 'string' }, calls: [{ id: 'string', started: 'string' }] },
      rows: 'calls',
      time: 'started',
      next: 'records.cursor',
    },
    asked: ({ p }) => timeIn(p['fromDateTime']),
    page(rows, { p }) {
      const from = Number(p['cursor'] ?? 0);
      const cursor = from + size < rows.length && { cursor: String(from + size) };
      return {
        records: { totalRecords: rows.length, ...cursor },
        calls: sliced(rows, from).map(({ id, updated }) => ({ id, started: iso(updated) })),
      };
    },
  },
  /** The service leaves out rows of that very second. */
  Chargebee: {
    service: { headers: { authorization: 'Basic ${basic}' } },
    operation: {
      get: '/api/v2/customers',
      query: { 'updated_at[after]': '${since-1s:seconds}', offset: '${cursor}' },
      response: { list: [{ customer: { id: 'string', updated_at: 'integer' } }], 'next_offset?': 'string' },
      rows: 'list[].customer',
      time: { at: 'updated_at', as: 'seconds' },
      next: 'next_offset',
    },
    asked: ({ p }) => (p['updated_at[after]'] === undefined ? undefined : Number(p['updated_at[after]']) * 1000 + 1),
    page(rows, { p }) {
      const from = Number(p['offset'] ?? 0);
      const list = sliced(rows, from).map(({ id, updated }) => ({ customer: { id, updated_at: Math.floor(updated / 1000) } }));
      return { list, ...(from + size < rows.length && { next_offset: String(from + size) }) };
    },
  },
  /** A login with OAuth 2, and the time inside a query. */
  Salesforce: {
    service: {
      headers: { authorization: 'Bearer ${token}' },
      token: {
        post: '/services/oauth2/token',
        headers: { authorization: 'Basic ${basic}' },
        form: { grant_type: 'client_credentials' },
        at: 'access_token',
        expires: 'expires_in',
      },
      baseUrl: '/services',
    },
    operation: {
      get: '/data/v60.0/query',
      query: { q: 'SELECT Id, SystemModstamp FROM Account WHERE SystemModstamp >= ${since}' },
      response: { totalSize: 'integer', records: [{ Id: 'string', SystemModstamp: 'string' }], 'nextRecordsUrl?': 'string' },
      rows: 'records',
      id: 'Id',
      time: 'SystemModstamp',
      next: 'nextRecordsUrl',
      total: 'totalSize',
    },
    asked: ({ p }) => timeIn(/ >= (.*)$/.exec(p['q'] ?? '')?.[1]) || undefined,
    page(rows, { p }) {
      const from = Number(p['from'] ?? 0);
      const records = sliced(rows, from).map(({ id, updated }) => ({ Id: id, SystemModstamp: iso(updated) }));
      const next = `/services/data/v60.0/query?${new URLSearchParams({ ...p, from: String(from + size) }).toString()}`;
      return { totalSize: rows.length, records, ...(from + size < rows.length && { nextRecordsUrl: next }) };
    },
  },
};

/** Rows that are new or changed from day to day, and a server that refuses to be asked for more than the last days. */
async function serving({ asked, page }: Updated) {
  const begin = Date.now() - 12 * day;
  const rows = new Map<string, Row>();
  let today = -1;
  let refused = 0;
  const nextDay = (): void => {
    today++;
    const ids = today === 0 ? Array.from({ length: 17 }, (_, nth) => nth) : [today, today + 7, 17 + today];
    for (const [nth, id] of ids.entries()) rows.set(`r${id}`, { id: `r${id}`, updated: begin + today * day + nth * 1000 });
  };
  const server = await startServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname: path, searchParams } = new URL(request.url!, server.url);
      const body = Buffer.concat(chunks).toString();
      const b = path.endsWith('token') || body === '' ? {} : (JSON.parse(body) as object);
      const headers = request.headers as Sent['headers'];
      const sent: Sent = { method: request.method!, path, p: Object.fromEntries(searchParams), headers, b, self: server.url };
      if (path.endsWith('token')) {
        response.end(JSON.stringify({ access_token: 'a-token-of-today' }));
        return;
      }
      const from = asked(sent);
      const isOld = from === undefined ? today !== 0 && !fresh : !(from > begin + (today - 1) * day - 3 * hour);
      if (isOld) refused++;
      const found = [...rows.values()].filter(({ updated }) => updated >= (from ?? 0)).sort((one, other) => one.updated - other.updated);
      const isEmpty = found.length === 0 && path.endsWith('/calls');
      response.writeHead(isOld ? 400 : isEmpty ? 404 : 200).end(JSON.stringify(isOld ? { message: 'too old' } : page(found, sent)));
    });
  });
  let fresh = false;
  return { server, nextDay, refused: () => refused, crawlsAll: (all: boolean) => (fresh = all) };
}

describe('an update of a connector', () => {
  // One of them each day.
  it.each(ofTheDay(Object.entries(sources), 1))(
    'asks %s for what changed, and has after five days what a fresh crawl has',
    async (_, source) => {
      const { server, nextDay, refused, crawlsAll } = await serving(source);
      await using _server = server;
      const { id = 'id' } = source.operation as { readonly id?: string };
      const operation = defineOperation({ ...source.operation, id } as never);
      const service = defineService({ name: 'source', ...source.service, operations: { rows: operation } } as never);
      const since = { lookback: '1h' };
      const stage = { call: 'rows', with: source.given ?? {}, pages: 'all', since, to: 'rows.jsonl' };
      const flow = { name: 'source', service, stages: { rows: stage } } as unknown as FlowDefinition;
      const fileSystem = new MemoryFileSystem();
      const run = async (out: string, update: boolean): Promise<readonly string[]> => {
        await using client = createClient({ service, baseUrl: server.url, apiKey: 'app:connector-secret', rate: 'unlimited' });
        const last = await lastValueFrom(runFlow(flow, { client, outDir: `/${out}`, fileSystem, update }));
        expect(last).toMatchObject({ outcome: 'complete' });
        return fileSystem.disk.read(`/${out}/rows.jsonl`)!.toString().trim().split('\n').toSorted();
      };
      nextDay();
      const first = await run('kept', false);
      expect(new Set(first.map((line) => valueAt(JSON.parse(line), id))).size).toBe(17);
      let kept = first;
      for (let number = 1; number <= 5; number++) {
        nextDay();
        kept = await run('kept', true);
      }
      expect(refused()).toBe(0);
      crawlsAll(true);
      expect(kept).toEqual(await run('fresh', false));
      expect(kept).toHaveLength(22);
    },
    60_000,
  );
});
