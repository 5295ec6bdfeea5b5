import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Sandbox, startSandbox } from '../src/sandbox/index.ts';
import type { RunState } from '../src/show/api.ts';
import { startShow } from '../src/show/startShow.ts';
import { runLines } from './cli/runLines.ts';

const root = join(import.meta.dirname, '..');
const flow = {
  name: 'coffee',
  stages: { places: { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, to: 'places.csv' } },
};

describe('a command that is offered', () => {
  let folder: string;
  let sandbox: Sandbox;
  let env: { readonly [name: string]: string };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-offered-'));
    await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
    await symlink(join(inject('dist'), 'bundle', 'cli.js'), join(folder, 'node_modules', '.bin', 'trawler'));
    await writeFile(join(folder, 'coffee.json'), JSON.stringify(flow));
    // One query of the first run fails.
    sandbox = await startSandbox({ faults: [{ fault: 'status', status: 404, nth: [1] }] });
    env = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey };
    await writeFile(join(folder, '.env'), Object.entries(env).map(([name, value]) => `${name}=${value}\n`).join('')); // prettier-ignore
  });
  afterEach(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  const offeredIn = (text: string): readonly string[] =>
    [...new Set(Array.from(text.matchAll(/trawler run [^\n<]*/g), ([line]) => line.replaceAll('&#39;', "'").trim()))].filter((line) => !line.includes('…')); // prettier-ignore
  const run = async (lines: readonly string[], at = folder): Promise<readonly { readonly code: number; readonly said: string }[]> => {
    const ended = await runLines(lines, at, env);
    expect(ended).toHaveLength(lines.length);
    return ended.map(({ stdout, stderr, ...of }) => ({ ...of, said: stdout + stderr }));
  };
  const saidBy = async (line: string): Promise<string> => (await run([line]))[0]!.said;
  /** None of them is refused. */
  const runAll = async (lines: readonly string[]): Promise<void> => {
    const refused = (await run(lines)).filter(({ code }) => ![0, 1, 130].includes(code));
    expect(refused).toEqual([]);
  };

  it('by the terminal or the report runs as it stands', async () => {
    const first = await saidBy('trawler run coffee.json');
    const report = await readFile(join(folder, 'out', 'coffee', 'report.html'), 'utf8');
    const offered = [...offeredIn(first), ...offeredIn(report)];
    expect(offered.some((line) => line.endsWith(' --failures'))).toBe(true);
    await runAll(offered);
    const done = offeredIn(await saidBy('trawler run coffee.json'));
    expect(done.map((line) => / --\w+$/.exec(line)?.[0])).toEqual([' --update', ' --fresh']);
    await runAll(done);
  });

  it('by the page runs once FLOW is the file of the flow', async () => {
    await run(['trawler run coffee.json --quiet']);
    const show = await startShow({ folder: join(folder, 'out', 'coffee') });
    const state = (await (await fetch(show.url.replace('/?', '/api/state?'))).json()) as RunState;
    await show.close();
    const offered = [state.command, ...state.steps.flatMap(({ command }) => command ?? [])];
    expect(offered.length).toBeGreaterThan(1);
    await runAll([...new Set(offered)].map((line) => line.replace('FLOW', 'coffee.json')));
  });

  it('by the page of a run with a price is an update with the page', async () => {
    // As `Changes` offers it while there are none.
    expect(await saidBy('trawler run coffee.json --show --price 0.002 --quiet --update')).toContain('Watch it in a browser');
  });

  it('as a line for cron runs in an empty environment', async () => {
    const guide = await readFile(join(root, 'docs', 'every-night.md'), 'utf8');
    const [, line] = /^15 3 \* \* \* {2}(.*)$/m.exec(guide)!;
    const here = line!.replace('/srv/coffee', folder).replace('/usr/bin/node', process.execPath);
    expect(here).not.toBe(line);
    const { error, stdout, stderr } = await new Promise<{ readonly error: unknown; readonly stdout: string; readonly stderr: string }>(
      (done) => execFile('/bin/sh', ['-c', here], { env: {} }, (error, stdout, stderr) => done({ error, stdout, stderr })),
    );
    expect(error).toMatchObject({ code: 1 }); // one query fails
    expect(stdout + stderr).toBe('');
    expect(await readFile(join(folder, 'update.log'), 'utf8')).toContain('1 query failed');
  });

  it('in a guide is refused for no other reason than that its files are not there', async () => {
    const guides = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md'));
    const texts = await Promise.all(guides.map((name) => readFile(join(root, 'docs', name), 'utf8')));
    const blocks = texts.flatMap((text) => Array.from(text.matchAll(/^```(\w*)\n([^]*?)^```/gm)));
    const shown = blocks.flatMap(([, language, code]) => (language === '' || language === 'sh' ? code!.split('\n') : []));
    const lines = shown.flatMap((line) => /^(?:\$ |.*?(?:&& |: ))?(?:npx )?(trawler (?!sandbox)[^|#>]*)/.exec(line)?.[1]?.trim() ?? []);
    expect(lines.length).toBeGreaterThan(30);
    const empty = await mkdtemp(join(tmpdir(), 'trawler-empty-'));
    const isFine = ({ code, said }: { readonly code: number; readonly said: string }): boolean =>
      code === 0 ||
      code === 1 ||
      /There is no (file|folder)|there is no run|no stored responses|Cannot find module|_(LEDGER|KEY) is not set|can't be reached/.test(
        said,
      ) ||
      said.includes('The port 4780 is in use'); // by a proxy that runs on this machine
    const refused = (await run([...new Set(lines)], empty)).filter((ended) => !isFine(ended));
    await rm(empty, { recursive: true });
    expect(refused).toEqual([]);
  });
});
