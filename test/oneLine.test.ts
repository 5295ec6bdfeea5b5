import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type * as operatorsDoor from '../src/operators.ts';
import type * as flowDoor from '../src/flow/index.ts';
import type * as frontDoor from '../src/index.ts';
import type * as sandboxDoor from '../src/sandbox/index.ts';
import type * as sinksDoor from '../src/sinks/index.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const copy = join(root, `node_modules/.one-line-${process.pid}`);
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** One line each, put in behind the line that is named. */
const lines = [
  ['  params: {', "    stars: { type: 'integer', min: 1, max: 5, about: 'only reviews of so many stars' },"],
  ['    reviews_results: [\n      {', "        'tone?': 'string: how it sounds',"],
] as const;

/** What somebody writes who uses them. */
const use = (door: string): string => `import type { MapsReview, MapsReviewsQuery } from '${door}';
export const query: MapsReviewsQuery = { data_id: 'x', stars: 5 };
export const toneOf = (review: MapsReview): string | undefined => review.tone;
`;
const misuse = `import type { MapsReviewsQuery } from './src/index.ts';
// @ts-expect-error stars are whole numbers
export const wrong: MapsReviewsQuery = { data_id: 'x', stars: 'five' };
`;

const open = async <T>(path: string): Promise<T> => (await import(join(copy, 'dist', path))) as T;

/** tsc over one file of the copy, or over all of it; what it says, or nothing. */
async function compile(include: readonly string[], more: object): Promise<string> {
  const config = join(copy, `tsconfig.${include.join('-')}.json`);
  const compilerOptions = { rootDir: '.', declarationMap: false, sourceMap: false, ...more };
  await writeFile(config, JSON.stringify({ extends: './tsconfig.build.json', compilerOptions, include }));
  try {
    await run(process.execPath, [tsc, '-p', config, '--checkers', '1']); // several do some of the work twice
    return '';
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

describe('one line more in the file of an operation', () => {
  let work: string;
  /** What the compiler says of the whole copy. */
  let said: string;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'trawler-one-line-'));
    await mkdir(copy, { recursive: true });
    for (const each of ['src', 'operators', 'tsconfig.json', 'tsconfig.build.json']) {
      await cp(join(root, each), join(copy, each), { recursive: true });
    }
    const file = join(copy, 'src/search/operations/mapsReviews.ts');
    let text = await readFile(file, 'utf8');
    for (const [behind, line] of lines) {
      if (text.split(behind).length !== 2) throw new Error(`mapsReviews.ts has not one place like ${behind}`);
      text = text.replace(behind, `${behind}\n${line}`);
    }
    await writeFile(file, text);
    await writeFile(join(copy, 'use.ts'), use('./src/index.ts'));
    await writeFile(join(copy, 'misuse.ts'), misuse);
    await writeFile(join(copy, 'before.ts'), use(`${inject('dist')}/src/index.js`));
    said = await compile(['src', 'operators', 'use.ts', 'misuse.ts', 'before.ts'], { outDir: 'dist' });
  });
  afterAll(async () => {
    await rm(copy, { recursive: true, force: true });
    await rm(work, { recursive: true, force: true });
  });

  it('is in the types: what uses it compiles, and does not without it', () => {
    expect(said.trim().split('\n')).toEqual([
      expect.stringMatching(/before\.ts\(2,.*'stars' does not exist in type/),
      expect.stringMatching(/before\.ts\(3,.*Property 'tone' does not exist on type/),
    ]);
  });

  it('is in the checks of queries', async () => {
    const { checkQuery, operations } = await open<typeof frontDoor>('src/index.js');
    const check = (query: object): readonly string[] => checkQuery(operations.mapsReviews, query).map(({ message }) => message);
    expect(check({ data_id: 'x', stars: 5 })).toEqual([]);
    expect(check({ data_id: 'x', stars: 6 })).toEqual([expect.stringContaining('stars')]);
    expect(check({ data_id: 'x', star: 5 })).toEqual([expect.stringContaining('did you mean stars?')]);
  });

  it('is in the help of the command', async () => {
    const help = await run(process.execPath, [join(copy, 'dist/src/cli/main.js'), 'operations', 'mapsReviews']);
    expect(help.stdout).toMatch(/^ {2}stars +integer +only reviews of so many stars/m);
    expect(help.stdout).toMatch(/^ {2}reviews_results +default +tone,/m);
  });

  it('is in the OpenAPI document', async () => {
    const { openApi, searchService } = await open<typeof frontDoor>('src/index.js');
    const document = JSON.parse(JSON.stringify(openApi(searchService))) as {
      readonly paths: { readonly [path: string]: { readonly get: { readonly parameters: readonly object[] } } };
      readonly components: { readonly schemas: { readonly [name: string]: object } };
    };
    expect(document.paths['/api/v1/engine/maps/reviews']!.get.parameters).toContainEqual(
      expect.objectContaining({ name: 'stars', schema: expect.objectContaining({ type: 'integer', maximum: 5 }) as object }),
    );
    expect(JSON.stringify(document.components.schemas)).toContain('"tone":{"type":"string"');
  });

  it('is on the page of the reference', async () => {
    const script = (await import(join(root, 'scripts/reference.mjs'))) as {
      readonly renderReference: (api: typeof frontDoor) => ReadonlyMap<string, string>;
    };
    const page = script.renderReference(await open<typeof frontDoor>('src/index.js')).get('mapsReviews.md');
    expect(page).toMatch(/^\| `stars` \| integer \|.*only reviews of so many stars/m);
    expect(page).toMatch(/^\| `reviews_results\[\]\.tone\?` \| string \|/m);
  });

  it('is in the checks of flows, and in their schema', async () => {
    const { checkFlow, flowJsonSchema } = await open<typeof flowDoor>('src/flow/index.js');
    const check = (more: object): readonly string[] =>
      checkFlow({ name: 'a', stages: { reviews: { call: 'mapsReviews', with: { data_id: 'x', ...more } } } }).map(({ message }) => message);
    expect(check({ stars: 5 })).toEqual([]);
    expect(check({ starz: 5 })).toEqual([expect.stringContaining('stars')]);
    expect(JSON.stringify(flowJsonSchema())).toContain('"stars"');
  });

  it('goes through client and sandbox over a socket, and into the heading of the CSV', async () => {
    const { startSandbox } = await open<typeof sandboxDoor>('src/sandbox/index.js');
    const { createClient } = await open<typeof frontDoor>('src/index.js');
    const { items } = await open<typeof operatorsDoor>('src/operators.js');
    const { toCsv } = await open<typeof sinksDoor>('src/sinks/index.js');
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const query = { data_id: 'x', stars: 5 };
    const report = await lastValueFrom(client.mapsReviews(query).pipe(items(), toCsv(join(work, 'reviews.csv'))));
    expect(report.rows).toBeGreaterThan(0);
    expect(sandbox.requests[0]).toMatchObject({ status: 200, query: { stars: '5' } });
    expect((await readFile(report.path, 'utf8')).split('\n')[0]).toContain('tone,');

    const ask = async (name: string): Promise<string> => {
      const headers = { 'x-api-key': sandbox.apiKey };
      return (await fetch(`${sandbox.url}/api/v1/engine/maps/reviews?data_id=x&${name}=5`, { headers })).text();
    };
    expect(JSON.parse(await ask('stars'))).toMatchObject({ code: 200 });
    expect(await ask('starz')).toContain('did you mean stars?');
  });
});
