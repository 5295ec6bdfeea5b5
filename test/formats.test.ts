import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { items, offsetPages, type OffsetPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { createClient } from '../src/createClient.ts';
import type { FlowDefinition } from '../src/flow/index.ts';
import { openStore } from '../src/store/index.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { startServer, type TestServer } from './client/startServer.ts';
import { killAndResume } from './flowInMemory.ts';
import { ownService } from './ownService.ts';

const code = `
const paged = { query: { page: '\${page:1}' }, params: { q: { type: 'string' } } };
const row = { id: 'string', n: 'integer', open: 'boolean|null', note: 'string' };
export default defineService({
  name: 'formats',
  operations: {
    ndjson: defineOperation({ get: '/ndjson', format: 'ndjson', ...paged, response: [row], rows: '' }),
    csv: defineOperation({ get: '/csv', format: 'csv', ...paged, response: [row], rows: '' }),
    xml: defineOperation({
      get: '/xml', format: 'xml', ...paged,
      response: { feed: { '@version': 'number', entry: [{ ...row, '@lang': 'string', tag: ['string'] }] } },
      rows: 'feed.entry',
    }),
  },
});
`;

type Row = { readonly id: string; readonly n: number; readonly open: boolean | null; readonly note: string };
const notes = ['plain', 'a "quoted" word', 'two\nlines', 'a, comma <&>', 'ünïcode 🎉'];
/** Three pages of two rows, one of one row. Ids look like numbers and aren't. */
const rows: readonly Row[] = Array.from({ length: 7 }, (_, n) => ({
  id: `00${n}`,
  n,
  open: [true, false, null][n % 3]!,
  note: notes[n % 5]!,
}));

const cell = (value: Row[keyof Row]): string =>
  value === null ? '' : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
const xmlText = (value: Row[keyof Row]): string => (value === null ? '' : String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
const bodies: { readonly [path: string]: (page: readonly Row[]) => string } = {
  '/ndjson': (page) => page.map((row) => `${JSON.stringify(row)}\n`).join(''),
  '/csv': (page) => ['id,n,open,note', ...page.map((row) => [row.id, row.n, row.open, row.note].map(cell).join(','))].join('\r\n'),
  '/xml': (page) =>
    `<?xml version="1.0"?><feed version="1.5">${page
      .map(
        ({ id, n, open, note }) =>
          `<entry lang="en"><id>${id}</id><n>${n}</n><open>${xmlText(open)}</open><note>${xmlText(note)}</note><tag>t${n}</tag></entry>`,
      )
      .join('')}</feed>`,
};

describe('responses in other formats than JSON', () => {
  const own = ownService('formats', code);
  let server: TestServer;
  let seen: string[] = [];
  let accepted: (string | undefined)[] = [];
  /** What is sent in place of the next bodies. */
  let odd: (string | Buffer)[] = [];
  let pack: (text: string) => { readonly body: Buffer; readonly headers: { readonly [name: string]: string } };

  const plain = (text: string): ReturnType<typeof pack> => ({ body: Buffer.from(text), headers: {} });
  beforeAll(async () => {
    server = await startServer((request, response) => {
      seen.push(request.url!);
      accepted.push(request.headers.accept);
      const { pathname, searchParams } = new URL(request.url!, 'http://formats');
      const page = Number(searchParams.get('page') ?? 1);
      const replaced = odd.shift();
      const { body, headers } =
        replaced === undefined ? pack(bodies[pathname]!(rows.slice((page - 1) * 2, page * 2))) : { body: replaced, headers: {} };
      response.writeHead(200, headers).end(body);
    });
  });
  beforeEach(() => {
    [seen, accepted, odd, pack] = [[], [], [], plain];
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const open = (options: object = {}) =>
    createClient({ service: own.service, baseUrl: server.url, rate: 'unlimited', retry: { baseMs: 1 }, ...options });
  const rowsOf = (client: object, format: string): Promise<unknown[]> => {
    const factory = (client as { readonly [name: string]: PageFactory<object, PageLike, OffsetPaging> })[format]!;
    return lastValueFrom(of({}).pipe(offsetPages(factory), items(), toArray()));
  };
  const expected: { readonly [format: string]: readonly object[] } = {
    ndjson: rows,
    csv: rows,
    xml: rows.map((row) => ({ ...row, tag: [`t${row.n}`], '@lang': 'en' })),
  };
  const formats = Object.keys(expected);

  it.each(formats)('%s is walked, with the types of its shape', async (format) => {
    await using client = open();
    expect(await rowsOf(client, format)).toEqual(expected[format]);
    expect(seen).toHaveLength(5);
    expect(new Set(accepted)).toEqual(new Set([{ ndjson: 'application/x-ndjson', csv: 'text/csv', xml: 'application/xml' }[format]]));
  });

  it.each(formats)('%s that is something else, or torn, is retried and then an error', async (format) => {
    await using client = open();
    const torn = { ndjson: '{"id":"000"}\n{"id":"0', csv: 'id,n,open,note\r\n000,0,true,"to', xml: '<feed><entry><id>000</id>' }[format]!;
    odd = ['<!DOCTYPE html>\n<html><body>Bad gateway</body></html>', torn];
    expect(await rowsOf(client, format)).toEqual(expected[format]);
    expect(seen).toHaveLength(7);
    odd = Array.from({ length: 9 }, () => 'Service unavailable');
    const error = await rowsOf(client, format).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      name: 'PayloadError',
      message: expect.stringMatching(`not ${format.toUpperCase()}; it begins with "Service`) as string,
    });
  });

  it.each([
    ...formats.map((format) => ['in place of', format, '{"error":"no such table"}']),
    ['behind rows of', 'ndjson', `${bodies['/ndjson']!(rows.slice(0, 1))}{"error":{"message":"no such table"}}`],
  ])('an error as JSON %s %s is a failure with its words', async (_, format, body) => {
    await using client = open();
    odd = [body!];
    await expect(rowsOf(client, format!)).rejects.toMatchObject({
      name: 'EnvelopeError',
      message: expect.stringContaining('no such table') as string,
    });
  });

  it.each<[string, (text: string) => Buffer, object]>([
    ['gzip without a header', gzipSync, {}],
    ['a .gz file', gzipSync, { 'content-type': 'application/gzip' }],
    ['gzip that says br', gzipSync, { 'content-encoding': 'br' }],
    ['zlib without a header', deflateSync, {}],
    ['raw deflate', deflateRawSync, { 'content-encoding': 'deflate' }],
    ['br', brotliCompressSync, { 'content-encoding': 'br' }],
    ['plain text that says gzip', (text) => Buffer.from(text), { 'content-encoding': 'gzip' }],
    ['plain text that says br', (text) => Buffer.from(text), { 'content-encoding': 'br' }],
    ['a .gz file that is packed once more', (text) => gzipSync(gzipSync(text)), { 'content-encoding': 'gzip' }],
  ])('%s is unpacked', async (_, compress, headers) => {
    pack = (text) => ({ body: compress(text), headers: { ...headers } });
    await using client = open();
    expect(await rowsOf(client, 'csv')).toEqual(rows);
    expect(seen).toHaveLength(5);
  });

  it.each([
    ['Caf&#233; &#x1F363; &amp;#233; &lt;3', 'Café 🍣 &#233; <3'],
    ['<![CDATA[<b>bold</b> &amp;]]>', '<b>bold</b> &amp;'],
    // An element in it makes no text of it, and drift tells so.
    ['H<sub>2</sub>O', { '#text': 'HO', sub: '2' }],
    ['\n  two\nlines ', 'two\nlines'],
    ['', ''],
  ])('a text of XML is read as the parser gives it: %j', async (inner, note) => {
    await using client = open();
    odd = [1, 2].map((n) => Buffer.from(`<feed><entry><id>1</id><n>${n}</n><open/><note>${inner}</note></entry></feed>`));
    odd.push(Buffer.from('<feed/>'));
    const row = { id: '1', open: null, note, tag: [] };
    expect(await rowsOf(client, 'xml')).toEqual([
      { ...row, n: 1 },
      { ...row, n: 2 },
    ]);
  });

  it('an element of XML with attributes has its text', async () => {
    await using client = open();
    const entry = (note: string): string => `<entry><id k="1">001</id><n u="m">5</n><open/><note k="1">${note}</note></entry>`;
    odd = [`<feed>${entry('')}${entry('x y')}</feed>`, '<feed/>'];
    const row = { id: '001', n: 5, open: null, tag: [] };
    expect(await rowsOf(client, 'xml')).toEqual([
      { ...row, note: '' },
      { ...row, note: 'x y' },
    ]);
  });

  it('NDJSON that comes as one list has its rows', async () => {
    await using client = open();
    odd = [JSON.stringify(rows.slice(0, 2), undefined, 2), JSON.stringify(rows.slice(2)), '[]', '[]'];
    expect(await rowsOf(client, 'ndjson')).toEqual(rows);
  });

  it.each(['0x1F', '0b11', '1_000', 'Infinity', ' '])('%j is no number in a cell of CSV', async (n) => {
    const drift: unknown[] = [];
    await using client = open();
    client.events$.subscribe((event) => event.type === 'drift' && drift.push(event));
    odd = [`id,n,open,note\n1,${n},,x\n`, 'id,n,open,note\n'];
    expect(await rowsOf(client, 'csv')).toMatchObject([{ n }]);
    expect(drift).toHaveLength(1);
  });

  it('a torn gzip body is retried, and a bomb is refused', async () => {
    await using client = open({ maxBodyBytes: 100_000 });
    const whole = gzipSync(bodies['/csv']!(rows.slice(0, 2)));
    odd = [whole.subarray(0, whole.length - 9)];
    expect(await rowsOf(client, 'csv')).toEqual(rows);
    odd = [gzipSync(Buffer.alloc(1_000_000, 'a'))];
    await expect(rowsOf(client, 'csv')).rejects.toMatchObject({
      name: 'PayloadError',
      message: expect.stringContaining('maxBodyBytes') as string,
    });
  });

  it.each(formats)('%s is stored as it came, and read again without a request', async (format) => {
    const kept = join(own.folder, `kept-${format}`);
    pack = (text) => ({ body: gzipSync(text), headers: { 'content-type': 'application/gzip' } });
    for (let run = 0; run < 2; run++) {
      await using client = open({ store: openStore(kept) });
      expect(await rowsOf(client, format)).toEqual(expected[format]);
    }
    expect(seen).toHaveLength(5);
  });

  it('is printed by the command', async () => {
    const env = { TRAWLER_BASE_URL: server.url };
    const run = await runInProcess(['call', 'xml', '--service', own.file, '--pages', 'all', '--format', 'jsonl'], {
      env,
    });
    expect(run.code).toBe(0);
    expect(
      run.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toEqual(expected['xml']);
  });

  it('gives every row once in a flow that is killed and resumed', async () => {
    const q = Array.from({ length: 10 }, (_, n) => `q${n}`);
    const stages = Object.fromEntries(formats.map((call) => [call, { call, with: { q }, pages: 'all', to: `${call}.csv` }]));
    const disk = await killAndResume({ name: 'formats', service: own.service, stages } as FlowDefinition, open, () => seen.length > 40);
    for (const format of formats)
      expect([format, String(disk.read(`/out/${format}.csv`)).match(/^"?00\d/gm)?.length]).toEqual([format, 70]);
  });
});
