import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type * as commandDoor from '../src/cli/runCommand.ts';
import type * as operatorsDoor from '../src/operators.ts';
import type * as flowDoor from '../src/flow/index.ts';
import type * as frontDoor from '../src/index.ts';
import type * as sandboxDoor from '../src/sandbox/index.ts';
import type * as sinksDoor from '../src/sinks/index.ts';
import { Kept } from './cli/runInProcess.ts';
import { linkFiles } from './linkFiles.ts';
import { causeOf, startEditor } from './startEditor.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The sources, and beside them what is compiled of them. */
const copy = join(inject('dist'), 'one-line');
const operation = 'src/search/operations/mapsReviews';

/** One line each, put in at the place that is named, in TypeScript and in JavaScript. */
const lines = [
  [/(?<=^ +params: \{\n)/m, "stars: { type: 'integer', min: 1, max: 5, about: 'only reviews of so many stars' },\n"],
  [/(?<=^ +reviews_results: \[\n +\{\n)/m, "'tone?': 'string: how it sounds',\n"],
] as const;

/** What somebody writes who uses them, and what is no use of them. */
const use = `import type { MapsReview, MapsReviewsQuery } from './src/index.ts';
export const queries: MapsReviewsQuery[] = [
  { data_id: 'x', stars: 5 },
  { data_id: 'x', stars: 'five' },
  { data_id: 'x', starz: 5 },
];
export const tones = (review: MapsReview): (string | undefined)[] => [review.tone, review.tune];
`;

const open = async <T>(path: string): Promise<T> => (await import(join(copy, path))) as T;

describe('one line more in the file of an operation', () => {
  let work: string;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'trawler-one-line-'));
    for (const from of [inject('dist'), root]) for (const each of ['src', 'operators']) linkFiles(join(from, each), join(copy, each));
    for (const ending of ['.ts', '.js']) {
      const file = join(copy, operation + ending);
      let text = await readFile(file, 'utf8');
      for (const [place, line] of lines) {
        if (text.split(place).length !== 2) throw new Error(`${operation}${ending} has not one place like ${place}`);
        text = text.replace(place, line);
      }
      await rm(file); // it is a link
      await writeFile(file, text);
    }
  });
  afterAll(async () => {
    await rm(copy, { recursive: true, force: true });
    await rm(work, { recursive: true, force: true });
  });

  it('is in the types', async () => {
    await writeFile(join(copy, 'use.ts'), use);
    await writeFile(join(copy, 'tsconfig.json'), JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['use.ts'] }));
    const editor = await startEditor(copy, { 'use.ts': use });
    expect((await editor.errorsIn('use.ts')).map(causeOf)).toEqual([
      "Type 'string' is not assignable to type 'number'.",
      expect.stringContaining("'starz' does not exist in type"),
      expect.stringContaining("Property 'tune' does not exist on type"),
    ]);
    await editor.close();
  });

  it('is in the checks of queries', async () => {
    const { checkQuery, operations } = await open<typeof frontDoor>('src/index.js');
    const check = (query: object): readonly string[] => checkQuery(operations.mapsReviews, query).map(({ message }) => message);
    expect(check({ data_id: 'x', stars: 5 })).toEqual([]);
    expect(check({ data_id: 'x', stars: 6 })).toEqual([expect.stringContaining('stars')]);
    expect(check({ data_id: 'x', star: 5 })).toEqual([expect.stringContaining('did you mean stars?')]);
  });

  it('is in the help of the command', async () => {
    const { runCommand } = await open<typeof commandDoor>('src/cli/runCommand.js');
    const [stdout, signal] = [new Kept(), new AbortController().signal];
    await runCommand(['operations', 'mapsReviews'], { stdin: Readable.from([]), stdout, stderr: new Kept(), env: {}, signal });
    expect(stdout.text).toMatch(/^ {2}stars +integer +only reviews of so many stars/m);
    expect(stdout.text).toMatch(/^ {2}reviews_results +default +tone,/m);
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
