import { exec, execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ofTheDay } from '../ofTheDay.ts';
import { unpackPackage } from '../unpackPackage.ts';
import { createClient } from '../../src/createClient.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { World } from '../../src/sandbox/world/World.ts';
import { runInProcess } from './runInProcess.ts';
import { operations, type OperationName } from '../../src/search/operations.ts';

const run = promisify(execFile);
const inShell = promisify(exec);
const root = fileURLToPath(new URL('../..', import.meta.url));
const world = new World({ seed: 'trawler', now: Date.now });

/** What somebody would give for an operation. */
const samples: { readonly [N in OperationName]: { readonly [param: string]: string } } = {
  webSearch: { query: 'coffee' },
  lightSearch: { query: 'coffee' },
  mobileSearch: { query: 'coffee' },
  autocomplete: { query: 'caf' },
  aiMode: { query: 'why is the sky blue?' },
  aiOverview: { url: '' }, // from a search, below
  imageSearch: { query: 'cats' },
  videoSearch: { query: 'cats' },
  newsSearch: { query: 'rates' },
  jobSearch: { query: 'nurse' },
  financeSearch: { query: 'ACME' },
  hotelSearch: { query: 'Lisbon', check_in_date: '2026-05-01', check_out_date: '2026-05-04' },
  immersiveProduct: { page_token: world.seal('product', 'kettle') },
  mapsSearch: { query: 'coffee' },
  mapsReviews: { data_id: 'place 2' },
  mapsPhotos: { data_id: 'place 2' },
  mapsPosts: { data_id: 'place 2' },
  scholarSearch: { query: 'measurement' },
  scholarAuthor: { author_id: 'abcAAAAJ' },
  scholarProfiles: { mauthors: 'ada' },
  patentDetails: { patent_id: 'US1234567B2' },
};

/** Those whose commands run as they stand, in a process of the installed package. Without TRAWLER_LONG the others run in this process. */
const packed: ReadonlySet<string> = new Set(ofTheDay(ofTheDay(Object.keys(operations), 2), 1));

// Each is a process of its own; two at once keep two cores busy.
vi.setConfig({ maxConcurrency: 2, testTimeout: 60_000 });

describe('what trawler init writes and prints runs, with the package as it is installed', () => {
  let sandbox: Sandbox;
  let folder: string;
  let overview: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    overview = (await firstValueFrom(client.webSearch({ query: 'coffee' }))).data.ai_overview_url ?? '';
    // As npm would install it: what is published, and what that depends on.
    folder = await mkdtemp(join(tmpdir(), 'trawler-starter-'));
    const modules = join(folder, 'node_modules');
    await mkdir(join(modules, '.bin'), { recursive: true });
    await unpackPackage(join(modules, 'trawler'));
    for (const name of await readdir(join(root, 'node_modules')))
      if (!name.startsWith('.') && name !== 'trawler') await symlink(join(root, 'node_modules', name), join(modules, name), 'junction');
    await symlink('../trawler/dist/bundle/cli.js', join(modules, '.bin/trawler'));
    await writeFile(join(modules, '.bin/trawler.cmd'), '@node "%~dp0\\..\\trawler\\dist\\bundle\\cli.js" %*\r\n'); // for Windows
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.concurrent.each(ofTheDay(Object.keys(operations) as OperationName[], 2))('%s', async (operation) => {
    const sample = operation === 'aiOverview' ? { url: overview } : samples[operation];
    const query = Object.entries(sample).flatMap(([param, value]) => [`--${param}`, value]);
    // Only what a program needs to start, and where `npm run` looks for commands: no key, no address.
    const path = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    const env = { PATH: path, SystemRoot: process.env['SystemRoot'], NO_COLOR: '1' };
    const own = join(folder, operation);
    const { stderr } = await runInProcess(['init', own, '--call', operation, ...query, '--no-run']);
    expect(await readFile(join(own, '.gitignore'), 'utf8')).toContain('.env\n');
    // A command and what it does are two words apart.
    const steps = stderr
      .split('Then:\n')[1]!
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim().split(/ {2,}/));
    expect(steps.map(([command]) => command)).toEqual([`cd ${own}`, 'npm install', 'npm run plan', 'npm run crawl', 'npm run show']);
    expect(stderr).toContain('into .env, as in .env.example. Then:');
    const text = await readFile(join(own, '.env.example'), 'utf8');
    await writeFile(join(own, '.env'), text.replace(/URL=.*/, `URL=${sandbox.url}`).replace('KEY=', `KEY=${sandbox.apiKey}`));
    const { scripts } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8')) as {
      readonly scripts: { readonly [name: string]: string };
    };
    await symlink(join(folder, 'node_modules'), join(own, 'node_modules'), 'junction');
    if (packed.has(operation)) {
      for (const script of ['plan', 'crawl']) await inShell(scripts[script]!, { cwd: own, env });
    } else {
      const [, flow] = /^trawler run (\S+) --env \.env$/.exec(scripts['crawl']!)!;
      const service = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey };
      await runInProcess(['run', join(own, flow!), '--out', join(own, 'out', 'crawl')], { env: service });
    }
    const [rows] = (await readdir(join(own, 'out', 'crawl'))).filter((name) => name.endsWith('.csv'));
    expect((await readFile(join(own, 'out', 'crawl', rows!), 'utf8')).split('\n').length).toBeGreaterThan(2);
  });

  it.concurrent.each(ofTheDay(Object.keys(operations) as OperationName[], 2))(
    'what can be fanned out of %s finds queries in its rows',
    async (operation) => {
      const sample = operation === 'aiOverview' ? { url: overview } : samples[operation];
      const query = Object.entries(sample).flatMap(([param, value]) => [`--${param}`, value]);
      const init = (...argv: readonly string[]): ReturnType<typeof runInProcess> =>
        runInProcess(['init', join(folder, `fan-outs of ${operation}`), '--call', operation, ...query, ...argv]);
      const { stderr: refusal } = await init('--each', 'nothing', '--no-run');
      const offered = /These can: (.*)/.exec(refusal)?.[1]?.split(', ') ?? [];
      if (offered.length === 0) return;
      const { stderr } = await init('--pages', '1', ...offered.flatMap((name) => ['--each', name]));
      expect(stderr).toContain('npm run crawl');
      expect(stderr).not.toContain('made no query');
    },
  );

  it('starts from a flow that comes with it, and depends on the trawler of the folder it is called in, also if that is a tarball', async () => {
    const manifest = join(folder, 'package.json');
    const versions = [['file:../packed/trawler.tgz', 'file:../../../packed/trawler.tgz'], ['^0.0.9', '^0.0.9']] as const; // prettier-ignore
    for (const [known, expected] of ofTheDay(versions, 1)) {
      await writeFile(manifest, JSON.stringify({ dependencies: { trawler: known } }));
      const made = `new/${known.length}`;
      const argv = [join(folder, 'node_modules/.bin/trawler'), 'init', made, '--like', 'ranks', '--no-run'];
      await run(process.execPath, argv, { cwd: folder });
      expect(await readdir(join(folder, made))).toEqual(expect.arrayContaining(['ranks.json', 'ranks.md', 'words.csv']));
      expect(JSON.parse(await readFile(join(folder, made, 'package.json'), 'utf8'))).toMatchObject({ dependencies: { trawler: expected } });
    }
    await rm(manifest);
  });

  it('takes trawler from where it is, and says so, if no project names one: there is no release that a version could mean', async () => {
    const made = join(folder, 'alone');
    const { stderr } = await runInProcess(['init', made, '--like', 'ranks', '--no-run']);
    const { dependencies } = JSON.parse(await readFile(join(made, 'package.json'), 'utf8')) as { dependencies: { trawler: string } };
    const path = dependencies.trawler.replace(/^file:/, '');
    expect(path).not.toBe(dependencies.trawler);
    expect(JSON.parse(await readFile(join(made, path, 'package.json'), 'utf8'))).toMatchObject({ name: 'trawler' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`package.json takes trawler from ${path}: there is no release yet`);
  });
});
