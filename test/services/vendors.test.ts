import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom, of, toArray } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient, defineService, operations as ours } from '../../src/index.ts';
import { loadFlow } from '../../src/flow/index.ts';
import { offsetPages } from '../../operators/index.ts';
import { serpApi } from '../../src/services/serpapi/index.ts';
import { serper } from '../../src/services/serper/index.ts';
import { allVendors, findService, vendorNames, whoHas } from '../../src/services/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startSerper } from '../vendors/serper.ts';
import type { StandIn } from '../vendors/standIn.ts';
import { webPages } from '../vendors/world.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the vendors', async () => {
  const vendors = await allVendors();

  it.each(vendors)('$name is a service that anybody could have described, under its own name', async (vendor) => {
    expect(() => defineService({ ...vendor })).not.toThrow();
    expect(await findService(vendor.name)).toBe(vendor);
    expect(vendor.baseUrl).toMatch(/^https:/);
  });

  it.each(vendors)('$name takes our parameters in the forms that ours have', ({ operations }) => {
    const differing = Object.entries(operations).flatMap(([name, { params }]) => {
      const known: { readonly [param: string]: { readonly type: string } } = ours[name as keyof typeof ours]?.params ?? {};
      return Object.entries(params).flatMap(([param, { type }]) =>
        known[param] === undefined || known[param].type === type ? [] : [`${name}.${param} is ${type}, not ${known[param].type}`],
      );
    });
    expect(differing).toEqual([]);
  });

  it('are named where a name is wrong, beside what a file of ones own looks like', async () => {
    await expect(findService('serpr')).rejects.toThrow("there is no service 'serpr'; did you mean 'serper'?");
    await expect(findService('books')).rejects.toThrow('such as ./books.mjs');
  });

  it('tell which of them have what another lacks', () => {
    const [two, three] = [
      { ...serper, name: 'two' },
      { ...serper, name: 'three' },
    ];
    expect(whoHas([serper], 'mapsPosts')).toBe('');
    expect(whoHas([serper], 'mapsReviews', 'data_id')).toBe('serper has it');
    expect(whoHas([serper, two, three], 'mapsReviews')).toBe('serper, two and three have it');
  });
});

describe('a vendor by its name', () => {
  let standIn: StandIn;
  let folder: string;
  const env = () => ({ SERPER_API_KEY: standIn.key, SERPER_BASE_URL: standIn.url });
  const flow = (stages: object, more: object = {}) => JSON.stringify({ name: 'crawl', service: 'serper', ...more, stages });

  beforeAll(async () => {
    standIn = await startSerper();
    folder = await mkdtemp(join(tmpdir(), 'trawler-vendors-'));
  });
  beforeEach(() => void standIn.requests.splice(0));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await standIn.close();
    await rm(folder, { recursive: true });
  });

  it('is a client in code, whose key and address have variables of their own', async () => {
    vi.stubEnv('TRAWLER_API_KEY', 'of-another');
    expect(() => createClient({ service: serper })).toThrow('SERPER_API_KEY');
    for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value);
    const client = createClient({ service: serper });
    const pages = await lastValueFrom(client.webSearch({ query: 'coffee', country: 'us' }).pipe(toArray()));
    expect(pages[0]!.items.map(({ link }) => link)).toEqual(webPages({ day: 0 }, 'coffee').slice(0, pages[0]!.items.length).map(({ link }) => link)); // prettier-ignore
    const [{ path, body, headers }] = standIn.requests as [StandIn['requests'][number]];
    expect([path, body, headers['x-api-key']]).toEqual(['/search', { q: 'coffee', gl: 'us', page: 1 }, standIn.key]);
    await client.close();
    vi.unstubAllEnvs();
  });

  it('goes to its own address where none is given', () => {
    const client = createClient({ service: serper, apiKey: 'k' });
    expect(JSON.stringify(client)).toContain('"https://google.serper.dev"');
  });

  it('pages by its own numbers, to the end', async () => {
    const client = createClient({ service: serper, apiKey: standIn.key, baseUrl: standIn.url });
    const pages = await lastValueFrom(of({ query: 'coffee' }).pipe(offsetPages(client.webSearch), toArray()));
    expect(pages.flatMap(({ items }) => items.map(({ link }) => link))).toEqual(webPages({ day: 0 }, 'coffee').map(({ link }) => link));
    expect(standIn.requests.map(({ body }) => (body as { page?: number }).page)).toEqual([1, 2, 3, 4, 5].slice(0, pages.length));
    await client.close();
  });

  it('is what a flow and --service name, and a lacking operation or parameter is refused before a request', async () => {
    const path = join(folder, 'flow.json');
    await writeFile(path, flow({ pages: { call: 'webSearch', with: { query: 'coffee' }, to: 'pages.jsonl' } }));
    expect((await loadFlow(path)).service).toBe(serper);
    const out = join(folder, 'out');
    const ran = await runInProcess(['run', path, '--out', out, '--quiet'], { env: env() });
    expect([ran.stderr, ran.code]).toEqual(['', 0]);
    expect((await readFile(join(out, 'pages.jsonl'), 'utf8')).split('\n').length).toBeGreaterThan(5);
    standIn.requests.splice(0);
    await writeFile(path, flow({ posts: { call: 'mapsPosts', with: { data_id: '1' }, to: 'posts.jsonl' } }));
    const lacking = await runInProcess(['run', path, '--out', out], { env: env() });
    expect([lacking.stderr, lacking.code]).toEqual([expect.stringContaining('mapsPosts'), 2]);
    await writeFile(path, flow({ pages: { call: 'webSearch', with: { query: 'coffee', kgmid: '1' }, to: 'pages.jsonl' } }));
    const param = await runInProcess(['run', path, '--out', out], { env: env() });
    expect([param.stderr, param.code]).toEqual([expect.stringContaining("webSearch has no parameter 'kgmid'"), 2]);
    expect(standIn.requests).toEqual([]);
  });

  it('says which variable is missing, and that a key is wrong', async () => {
    const call = ['call', 'autocomplete', '--query', 'coffee', '--service', 'serper'];
    const none = await runInProcess(call, { env: { TRAWLER_API_KEY: 'of-another', TRAWLER_BASE_URL: standIn.url } });
    expect([none.stderr, none.code]).toEqual([expect.stringContaining('SERPER_API_KEY is not set.'), 2]);
    expect(standIn.requests).toEqual([]);
    const wrong = await runInProcess(call, { env: { ...env(), SERPER_API_KEY: 'wrong' } });
    expect([wrong.stderr, wrong.code]).toEqual([expect.stringContaining('403'), 2]);
    expect(wrong.stderr).toContain('check SERPER_API_KEY');
    const elsewhere = await runInProcess(call, { env: { ...env(), SERPER_BASE_URL: `${standIn.url}/elsewhere` } });
    expect(elsewhere.stderr.replaceAll(/\s+/g, ' ')).toContain('check --base-url (or SERPER_BASE_URL) and --path-prefix');
    const client = createClient({ service: serper, apiKey: 'wrong', baseUrl: standIn.url });
    for (const told of ['check SERPER_API_KEY', 'check SERPER_API_KEY and make a new client'])
      await expect(lastValueFrom(client.autocomplete({ query: 'tea' }))).rejects.toThrow(told);
    await client.close();
    const right = await runInProcess(call, { env: env() });
    expect([right.stderr, right.code]).toEqual(['', 0]);
  });

  it('is what init writes a flow for, unless it lacks what the flow asks for', async () => {
    const at = join(folder, 'mine');
    const made = await runInProcess(['init', at, '--call', 'newsSearch', '--query', 'tea', '--service', 'serper']);
    expect([made.stderr, made.code]).toEqual([expect.stringContaining('Wrote'), 0]);
    expect(JSON.parse(await readFile(join(at, 'crawl.json'), 'utf8'))).toMatchObject({ service: 'serper', name: 'crawl' });
    expect(await readFile(join(at, '.env.example'), 'utf8')).toContain('SERPER_API_KEY=\n');
    const refused = await runInProcess(['init', join(folder, 'other'), '--like', 'jobs', '--service', 'serper']);
    expect([refused.stderr.replaceAll(/\s+/g, ' '), refused.code]).toEqual([
      "trawler: serper lacks what the flow jobs asks for: serper has no 'jobSearch'; dataforseo, scrapingdog, searchapi and serpapi have it " +
        'With serper these run: --like bad-reviews, --like leads, --like news, --like rank-grid, --like ranks ',
      2,
    ]);
    expect(await readdir(folder)).not.toContain('other');
  });

  it('says in a plan what the requests cost, in what the vendor counts', async () => {
    const path = join(folder, 'priced.json');
    await writeFile(
      path,
      flow({ places: { call: 'mapsSearch', with: { query: ['a', 'b'], ll: '@40.74,-73.98,14z' }, pages: 2, to: 'p.jsonl' } }),
    );
    const { stdout } = await runInProcess(['plan', path], { env: env() });
    expect(stdout).toContain('serper: 2 to 4 requests, which cost 6 to 12 credits by its prices\n');
  });

  it('says what is left after a run, unless that is quiet or nobody knows it', async () => {
    const path = join(folder, 'left.json');
    await writeFile(path, flow({ pages: { call: 'autocomplete', with: { query: 'coffee' }, to: 'pages.jsonl' } }));
    const run = (out: string, ...more: readonly string[]) =>
      runInProcess(['run', path, '--out', join(folder, out), ...more], { env: env() });
    standIn.credits = 1235;
    expect(await run('left')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/; 1 request[^]*What is left at serper: 1,234 credits\./),
    });
    expect(await readFile(join(folder, 'left/report.html'), 'utf8')).toContain('What is left at serper: 1,234 credits.');
    const { trawler } = JSON.parse(await readFile(join(folder, 'left/datapackage.json'), 'utf8')) as { trawler: object };
    expect(trawler).toMatchObject({ requests: 1, accounts: [{ service: 'serper', left: 1234 }] });
    const quiet = await run('quiet', '--quiet');
    const refused = await run('unsaid', '--max-requests', '1');
    standIn.credits = Infinity;
    expect([quiet.stderr, quiet.code, refused.code]).toEqual(['', 0, 0]);
    expect(standIn.requests.filter(({ path: asked }) => asked === '/account').length).toBeLessThanOrEqual(2);
  });

  it("runs README's flow and the examples of places with a key of SerpApi, as they stand", async () => {
    const [, readme] = /```json\n([^`]+)```/.exec(await readFile(join(root, 'README.md'), 'utf8'))!;
    const path = join(folder, 'readme.json');
    await writeFile(path, readme!);
    const examples = ['coffee', 'cities'].map((name) => join(root, `examples/flows/${name}.json`));
    for (const flow of [path, ...examples]) expect((await loadFlow(flow, { service: serpApi })).service).toBe(serpApi);
  });

  it.each(vendorNames)('%s can be tried on a sandbox without a key', async (name) => {
    const tried = await runInProcess(['call', 'webSearch', '--query', 'tea', '--service', name, '--sandbox']);
    expect([tried.stderr, tried.code]).toEqual(['', 0]);
  });
});
