import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { searchService } from '../src/search/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The service's own room, the sandbox that imitates it, and the front door with the names of its types. */
const own = /^src\/(search|sandbox)\/|^src\/(index|createClient|operators)\.ts$/;
const files = ['operators', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && !own.test(file)),
);
const { operations, envelope = {}, basePath = '', key } = searchService;
/** Words of the service. An envelope's field counts where it is read from a body: in quotes. */
const words: readonly (readonly [word: string, pattern: RegExp])[] = [
  ...Object.keys(operations).map((name) => [name, new RegExp(`\\b${name}\\b`)] as const),
  [basePath, new RegExp(basePath)],
  [key!.header, new RegExp(key!.header, 'i')],
  ...[envelope.requestId!].map((field) => [`'${field}'`, new RegExp(`['"\`]${field}['"\`]`)] as const),
  ['code === 200', /code (===|!==) 200/],
];

/** What a file says of the service; comments are left out, and fields that errors of any service have. */
function named(file: string, text: string): string[] {
  const code = text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|Pick<[^>]*>/gm, '');
  return words.filter(([, pattern]) => pattern.test(code)).map(([word]) => `${file} names ${word}`);
}

describe('the service that trawler comes with', () => {
  it('is named by no file outside its own room', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => named(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it.each([
    ["client.mapsReviews({ data_id: 'x' })", 'mapsReviews'],
    ["const headers = { 'x-api-key': key };", 'X-API-Key'],
    ["const prefix = '/api/v1/engine';", '/api/v1/engine'],
    ["const id = body['requestId'];", "'requestId'"],
    ['if (response.code !== 200) fail();', 'code === 200'],
  ])('is noticed in %s, by the name of the file', (text, word) => {
    expect(named('src/client/wrong.ts', text)).toEqual([`src/client/wrong.ts names ${word}`]);
  });
});
