import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Sandbox, startSandbox } from '../src/sandbox/index.ts';
import type { RunState } from '../src/show/api.ts';
import { startShow } from '../src/show/startShow.ts';
import { runInProcess } from './cli/runInProcess.ts';

const root = join(import.meta.dirname, '..');
const flow = {
  name: 'coffee',
  stages: { places: { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, to: 'places.csv' } },
};

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

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
    const own = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey };
    await writeFile(join(folder, '.env'), Object.entries(own).map(([name, value]) => `${name}=${value}\n`).join('')); // prettier-ignore
    env = { PATH: `${join(folder, 'node_modules', '.bin')}:${process.env['PATH']}`, ...own };
  });
  afterEach(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a line as a shell does. */
  const shell = (line: string, variables: object = env): Promise<Ended> =>
    new Promise((resolve) =>
      execFile('/bin/sh', ['-c', line], { cwd: folder, env: { ...variables } as NodeJS.ProcessEnv }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
      ),
    );
  /** Runs a command that serves a page until it has its address, and stops it. */
  const served = async (line: string): Promise<Ended> => {
    const child = spawn('/bin/sh', ['-c', `exec ${line}`], { cwd: folder, env });
    let said = '';
    child.stderr.on('data', (text) => {
      said += String(text);
      if (said.includes('Ctrl-C')) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  };
  const offeredIn = (text: string): readonly string[] =>
    [...new Set(Array.from(text.matchAll(/trawler run [^\n<]*/g), ([line]) => line.replaceAll('&#39;', "'").trim()))].filter((line) => !line.includes('…')); // prettier-ignore
  /** Runs lines in a folder, in this process. A shell takes them apart. */
  const inProcess = async (lines: readonly string[], at: string): Promise<(Ended & { readonly line: string })[]> => {
    const parts = `trawler() { for word; do printf '%s\\n' "$word"; done; printf '\\f\\n'; }`;
    const { said: words } = await shell(['ID=1', parts, ...lines].join('\n'));
    process.chdir(at);
    const ended: (Ended & { readonly line: string })[] = [];
    for (const line of words.split('\f\n').slice(0, -1)) {
      const { code, stdout, stderr } = await runInProcess(line.split('\n').slice(0, -1), { env });
      ended.push({ line, code, said: stdout + stderr });
    }
    process.chdir(root);
    expect(ended).toHaveLength(lines.length);
    return ended;
  };
  /** Runs each of them. None is refused. */
  const runAll = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      const { code, said } = line.includes(' --show') ? await served(line) : (await inProcess([line], folder))[0]!;
      expect([line, [0, 1, 130].includes(code ?? -1) ? '' : said]).toEqual([line, '']);
    }
  };

  it('by the terminal or the report runs as it stands', async () => {
    const first = await shell('trawler run coffee.json');
    const report = await readFile(join(folder, 'out', 'coffee', 'report.html'), 'utf8');
    const offered = [...offeredIn(first.said), ...offeredIn(report)];
    expect(offered.some((line) => line.endsWith(' --failures'))).toBe(true);
    await runAll(offered);
    const done = await shell('trawler run coffee.json');
    expect(offeredIn(done.said).map((line) => / --\w+$/.exec(line)?.[0])).toEqual([' --update', ' --fresh']);
    await runAll(offeredIn(done.said));
  });

  it('by the page runs once FLOW is the file of the flow', async () => {
    await shell('trawler run coffee.json --quiet');
    const show = await startShow({ folder: join(folder, 'out', 'coffee') });
    const state = (await (await fetch(show.url.replace('/?', '/api/state?'))).json()) as RunState;
    await show.close();
    const offered = [state.command, ...state.steps.flatMap(({ command }) => command ?? []), ...state.buttons.flatMap(({ says }) => offeredIn(says.replace(/ to have this button.*/, '')))]; // prettier-ignore
    expect(offered.length).toBeGreaterThan(2);
    await runAll([...new Set(offered)].map((line) => line.replace('FLOW', 'coffee.json')));
  });

  it('by the page of a run with a price is an update with the page', async () => {
    // As `Changes` offers it while there are none.
    const { said } = await served('trawler run coffee.json --show --price 0.002 --quiet --update');
    expect(said).toContain('Watch it in a browser');
  });

  it('as a line for cron runs in an empty environment', async () => {
    const guide = await readFile(join(root, 'docs', 'timers.md'), 'utf8');
    const [, line] = /^15 3 \* \* \* {2}(.*)$/m.exec(guide)!;
    const here = line!.replace('/srv/coffee', folder).replace('/usr/bin/node', process.execPath);
    expect(here).not.toBe(line);
    expect(await shell(here, {})).toEqual({ code: 1, said: '' }); // one query fails
    expect(await shell(here, {})).toEqual({ code: 0, said: '' });
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
    const isFine = ({ code, said }: Ended): boolean =>
      code === 0 ||
      code === 1 ||
      /There is no (file|folder)|there is no run|no stored responses|Cannot find module|TRAWLER_LEDGER is not set/.test(said);
    const refused = (await inProcess([...new Set(lines)], empty)).filter((ended) => !isFine(ended));
    await rm(empty, { recursive: true });
    expect(refused).toEqual([]);
  });
});
