import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firstValueFrom, lastValueFrom, of } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import { expandCursor } from '../operators/index.ts';
import { createClient } from '../src/createClient.ts';
import { startSandbox } from '../src/sandbox/index.ts';
import { searchService } from '../src/search/index.ts';
import { more } from './sandbox/moreFaults/more.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = ['operators', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && !/^src\/(search|services)\//.test(file)),
);
/** The sandbox imitates each operation, and the front door names their types. */
const mayNameOperations = /^src\/sandbox\/|^src\/(index|createClient|operators)\.ts$/;

const { operations, envelope = {}, baseUrl = '', headers = {} } = searchService;
const [header = ''] = Object.keys(headers);
const fields = [envelope.data, envelope.code?.at, envelope.message, envelope.requestId, envelope.timestamp].map(String);
/** Words of the service. A field of the envelope counts where it is taken out of a body, or looked for in its text. */
const words: readonly (readonly [word: string, pattern: RegExp])[] = [
  [baseUrl, new RegExp(baseUrl)],
  [header, new RegExp(header, 'i')],
  ...fields.map((field) => {
    const name = `(['"\`])${field}\\1`;
    const places = [
      `(?<!\\w)[a-z]\\w*[)\\]]*(?:\\?\\.)?\\[${name}\\]`,
      `valueAt\\([^)]*, ${name.replace('\\1', '\\2')}`,
      `\\\\?"${field}\\\\?":`,
      `\\b(?:body|json|document|JSON\\.parse\\([^)]*\\))\\)*(?: as \\w+\\))?\\??\\.${field}\\b`,
    ];
    return [`'${field}'`, new RegExp(places.join('|'))] as const;
  }),
  ['code === 200', /code (===|!==) 200/],
];

/** What a file says of the service. Comments are left out, and the attribute of HTML that is called as an operation is. */
function named(file: string, text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|\bautocomplete: 'off'/gm, '');
  const own = mayNameOperations.test(file) ? [] : Object.keys(operations).map((name) => [name, new RegExp(`\\b${name}\\b`)] as const);
  return [...own, ...words].filter(([, pattern]) => pattern.test(code)).map(([word]) => `${file} names ${word}`);
}

/** The files that take a field of the envelope out of a body while `run` runs, other than by a path of the service's description. */
async function readersOfTheEnvelope(run: () => unknown): Promise<string[]> {
  const readers = new Set<string>();
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    const value: unknown = parse(text, reviver);
    if (typeof value !== 'object' || value === null || !fields.every((field) => Object.hasOwn(value, field))) return value;
    return new Proxy(value, {
      get(body, field, receiver) {
        if (fields.includes(String(field))) {
          const [, caller = ''] = new Error().stack!.split('\n').slice(1);
          readers.add(relative(root, /\/(?:src|operators|test)\/[^:)]*/.exec(caller)?.[0] ?? caller).replace(/^(\.\.\/)+/, ''));
        }
        return Reflect.get(body, field, receiver) as unknown;
      },
    });
  });
  await Promise.resolve(run()).finally(() => spy.mockRestore());
  return [...readers];
}

describe('the service that trawler comes with', () => {
  it('is named by no file outside its own room and that of the vendors, who answer in its words', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => named(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it.each([
    ["client.mapsReviews({ data_id: 'x' })", 'mapsReviews'],
    ["const headers = { 'x-api-key': key };", 'x-api-key'],
    ["const prefix = '/api/v1/engine';", '/api/v1/engine'],
    ["const id = body['requestId'];", "'requestId'"],
    ["const at = valueAt(value, 'timestamp');", "'timestamp'"],
    ['const { length } = JSON.parse(text).data;', "'data'"],
    ['if (body.message) fail();', "'message'"],
    ['const start = text.indexOf(\'"code":\');', "'code'"],
    ['if (response.code !== 200) fail();', 'code === 200'],
  ])('is noticed in %s, by the name of the file', (text, word) => {
    expect(named('src/client/wrong.ts', text)).toContain(`src/client/wrong.ts names ${word}`);
  });

  it('has its envelope read by the paths of its description alone, whatever a variable is called', async () => {
    await using sandbox = await startSandbox({ faults: [more({ fault: 'envelopeCode', operation: 'webSearch' })] });
    const readers = await readersOfTheEnvelope(async () => {
      await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { maxAttempts: 1 } });
      await lastValueFrom(of({ data_id: '0x1:0x2' }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 })));
      await expect(firstValueFrom(client.webSearch({ query: 'tea' }))).rejects.toThrow('code 500');
      await expect(firstValueFrom(client.mapsReviews({ data_id: 'x', next_page_token: 'no' }))).rejects.toThrow('400');
    });
    expect(readers).toEqual([expect.stringMatching(/^operators\/kit\/ownValue\.[jt]s$/)]); // which valueAt calls
    const body = JSON.stringify(Object.fromEntries(fields.map((field) => [field, 1])));
    expect(await readersOfTheEnvelope(() => (JSON.parse(body) as { code: number }).code)).toEqual(['test/oneService.test.ts']);
  });
});
