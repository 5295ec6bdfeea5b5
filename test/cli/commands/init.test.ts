import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFlow } from '../../../src/flow/index.ts';
import { runInProcess } from '../runInProcess.ts';

describe('trawler init', () => {
  let folder: string;
  const search = ['--call', 'mapsSearch', '--query', 'coffee', '--ll', '@40.74,-73.98,14z'] as const;
  const init = (...argv: readonly string[]): ReturnType<typeof runInProcess> => runInProcess(['init', folder, ...argv]);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-init-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('says where it can write nothing, before any request', async () => {
    await writeFile(join(folder, 'file'), '');
    const { code, stderr } = await runInProcess(['init', join(folder, 'file/own'), ...search]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/Nothing can be written into .*file\/own \(ENOTDIR\)\.\n {2}Choose another folder/),
    ]);
  });

  it('writes a flow, a package.json and a .env.example, and runs the flow on the sandbox', async () => {
    const { code, stderr } = await init(...search, '--each', 'placeReviews', '--name', 'coffee', '--pages', '1');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Running it on the sandbox')]);
    expect(stderr).not.toContain('\n\n\n');
    const flow = await loadFlow(join(folder, 'coffee.json'));
    expect(flow.stages.map(({ name }) => name)).toEqual(['mapsSearch', 'placeReviews']);
    expect(flow.definition.stages['placeReviews']?.keep).toEqual({ parent_title: '$.title', parent_data_id: '$.data_id' });
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly scripts: object;
    };
    expect(manifest.name).toBe('coffee');
    expect(Object.keys(manifest.scripts)).toEqual(['try', 'plan', 'crawl', 'update', 'show']);
    expect(await readFile(join(folder, '.env.example'), 'utf8')).toMatch(/\nTRAWLER_BASE_URL=\nTRAWLER_API_KEY=\n$/);
    expect((await readFile(join(folder, 'out/sandbox/placeReviews.jsonl'), 'utf8')).split('\n').length).toBeGreaterThan(10);
    const agents = await readFile(join(folder, 'AGENTS.md'), 'utf8');
    expect(agents.trim().split('\n').length).toBe(10);
    const named = [...agents.matchAll(/node_modules\/trawler\/([\w/.]+\w)/g)].map((match) => match[1]!);
    expect(named.filter((path) => !existsSync(new URL(`../../../${path}`, import.meta.url)))).toEqual([]);
    expect(named).toContain('llms.txt');
    expect(stderr).toContain('npm run crawl');
  });

  it('writes what its operations say of updates: one asks only for what is new, and compares all rows', async () => {
    await init(...search, '--each', 'placeReviews', '--each', 'placePhotos');
    const { stages } = (await loadFlow(join(folder, 'crawl.json'))).definition;
    expect(stages['mapsSearch']).toMatchObject({ by: 'data_id', seen: true });
    expect(stages['placeReviews']).toMatchObject({ by: 'review_id', seen: true, since: { unless: '$.reviews' } });
    expect(stages['placePhotos']).not.toHaveProperty('seen'); // nothing tells its rows apart
    const run = (...argv: readonly string[]): ReturnType<typeof runInProcess> =>
      runInProcess(['run', join(folder, 'crawl.json'), '--sandbox', '--out', join(folder, 'out/sandbox'), ...argv]);
    const { code, stderr } = await run('--update', '--day', '1');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/placeReviews: \d+ new rows?, /)]);
    expect(stderr).toMatch(/placeReviews: \d+ queries skipped, as nothing has changed/);
    expect([...stderr.matchAll(/(\w+): its files are replaced/g)].map((match) => match[1])).toEqual(['placePhotos']);
  });

  it('asks for no new rows where the query has an order of its own', async () => {
    const reviews = ['--call', 'mapsReviews', '--data_id', 'place 2'] as const;
    for (const [name, argv, since] of [
      ['usual', reviews, {}],
      ['best', [...reviews, '--sort_by', 'ratingHigh'], undefined],
    ] as const) {
      expect((await init(...argv, '--name', name, '--no-run')).code).toBe(0);
      expect((await loadFlow(join(folder, `${name}.json`))).definition.stages['mapsReviews']?.since).toEqual(since);
    }
  });

  it('changes no existing file: a package.json stays unchanged, a flow of the same name is refused', async () => {
    await writeFile(join(folder, 'package.json'), '{}');
    expect((await init(...search, '--no-run')).code).toBe(0);
    expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe('{}');
    const again = await init(...search, '--no-run');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('crawl.json exists already')]);
    const other = await init(...search, '--no-run', '--name', 'tea');
    expect([other.code, other.stderr]).toEqual([0, expect.stringContaining('npx trawler plan tea.json')]); // there are no scripts
  });

  it('takes further pages only where the query has what they need', async () => {
    const pagesOf = async (name: string, ...argv: readonly string[]): Promise<unknown> => {
      expect((await init(...argv, '--name', name, '--no-run')).code).toBe(0);
      return (await loadFlow(join(folder, `${name}.json`))).definition.stages['mapsSearch']?.pages;
    };
    expect(await pagesOf('with', ...search)).toBe(2);
    expect(await pagesOf('without', '--call', 'mapsSearch', '--query', 'coffee')).toBeUndefined();
  });

  it('says what a query lacks for further pages', async () => {
    const [without, withIt] = [['--query', 'coffee'], search.slice(2)].map((query) => ['--call', 'mapsSearch', ...query, '--no-run']);
    expect((await init(...without!, '--name', 'one')).stderr.replaceAll('\n', ' ')).toMatch(
      /Pages after the first of mapsSearch need ll \(.*\)\. For more rows, add ll to "with" in one\.json, and "pages" beside it\./,
    );
    expect((await init(...withIt!, '--name', 'two')).stderr).not.toContain('Pages after');
  });

  it.each([
    [['--call', 'mapsSearch', '--query', 'coffee', '--pages', '2'], 'pages after the first of mapsSearch need ll'],
    [[], 'needs to know what to crawl: --like NAME, or --call OPERATION'],
    [['--service', 'own.mjs', '--call', 'books'], 'trawler run FLOW --service FILE'],
    [['--call', 'mapSearch'], 'Did you mean mapsSearch?'],
    [[...search, '--name', 'my places'], "--name is letters, digits, '.', '_' and '-', not 'my places'."], // scripts of package.json name it
    [['--call', 'mapsSearch'], 'trawler: --query is required: what to search for.\n'],
    [['--call', 'hotelSearch', '--query', 'x', '--check_in_date', 'y'], '--check_out_date is required'],
    [['--call', 'mapsSearch', '--qery', 'x'], 'Did you mean --query?'],
    [[...search, '--each', 'placeReview'], 'Did you mean --each placeReviews?'],
    [['--call', 'autocomplete', '--query', 'x', '--each', 'placeReviews'], "'placeReviews' can't run over the rows of autocomplete."],
  ] as const)('refuses %j, and writes nothing', async (argv, message) => {
    const { code, stderr } = await init(...argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(folder, 'package.json'))).toBe(false);
  });

  it('writes a flow that comes with trawler, with its seeds and its page', async () => {
    expect((await init('--like', 'ranks', '--no-run')).code).toBe(0);
    expect(Object.keys((await loadFlow(join(folder, 'ranks.json'))).definition.stages)).toEqual(['ranks']);
    expect(['words.csv', 'ranks.md', 'package.json', '.env.example'].filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  });

  it("says what a vendor's key looks like, if it has two parts", async () => {
    expect((await init('--like', 'leads', '--service', 'dataforseo', '--no-run')).code).toBe(0);
    const text = await readFile(join(folder, '.env.example'), 'utf8');
    expect(text).toBe('# Copy this file to .env and fill it in: your key of dataforseo, as user:password.\nDATAFORSEO_API_KEY=\n');
  });
});
