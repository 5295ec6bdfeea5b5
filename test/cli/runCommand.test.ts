import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { clientOptions } from '../../src/client/options/clientOptions.ts';
import { clientFlags } from '../../src/cli/openClient.ts';
import { operations } from '../../src/search/index.ts';
import { runInProcess } from './runInProcess.ts';

describe('runCommand', () => {
  it('lists the commands for --help, -h and help, on stdout', async () => {
    for (const arg of ['--help', '-h', 'help']) {
      const { code, stdout, stderr } = await runInProcess([arg]);
      expect([code, stderr]).toEqual([0, '']);
      for (const name of Object.keys(commands)) expect(stdout).toContain(`\n  ${name} `);
      for (const part of ['TRAWLER_API_KEY', '130 interrupted']) expect(stdout).toContain(part);
      expect([...stdout.split('\nMore\n')[0]!.matchAll(/^ {2}(\w+) /gm)].map((match) => match[1])).toEqual([
        'init',
        'run',
        'plan',
        'check',
        'show',
      ]);
    }
  });

  it('exits with 2 without a command, and lists the commands on stderr', async () => {
    const { code, stdout, stderr } = await runInProcess([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('trawler COMMAND --help');
  });

  it('says the version of the package', async () => {
    const { code, stdout } = await runInProcess(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.each([
    ['opertions', "Did you mean 'trawler operations'?"],
    ['Run', "Did you mean 'trawler run'?"],
    [
      'xyzzyxyzzy',
      'There are: init, run, plan, check, show, call, operations, store, spend, schema, proxy, publish, sandbox, worker, mcp, queue, completion',
    ],
    [
      'constructor',
      'There are: init, run, plan, check, show, call, operations, store, spend, schema, proxy, publish, sandbox, worker, mcp, queue, completion',
    ],
  ])('names the nearest command for %s', async (given, hint) => {
    const { code, stderr } = await runInProcess([given]);
    expect([code, stderr]).toEqual([2, `trawler: trawler has no command '${given}'.\n  ${hint}\n`]);
  });

  it.each(Object.keys(commands))('has a help with options and examples for %s, in 80 columns', async (name) => {
    const { code, stdout } = await runInProcess([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^trawler ${name} `));
    expect(stdout).toMatch(new RegExp(`Examples\\n  trawler ${name}`));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await runInProcess(['help', name])).stdout).toBe(stdout);
    const { helpByName = false } = await commands[name]!.load();
    const named = await runInProcess([name, ...(helpByName ? [] : ['coffee.json']), '--help']);
    expect(named.stdout).toBe(stdout);
  });

  it('has every option of a command that has groups in one of them', async () => {
    const loaded = await Promise.all(Object.values(commands).map(({ load }) => load()));
    const grouped = loaded.filter(({ groups }) => groups !== undefined);
    expect(grouped.map(({ name }) => name)).toContain('run');
    for (const { options, groups } of grouped) expect(Object.values(groups!).flat().toSorted()).toEqual(Object.keys(options).toSorted());
    const { stdout } = await runInProcess(['run', '--help']);
    expect(stdout).toContain('\nWhat it may cost\n  --max-requests N');
  });

  it('knows that version and help are asked for with dashes', async () => {
    expect((await runInProcess(['version'])).stderr).toBe(
      "trawler: trawler has no command 'version'.\n  Did you mean 'trawler --version'?\n",
    );
  });

  it('names the file of variables that is there, where one is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-env-'));
    const before = process.cwd();
    const hint = async (...argv: readonly string[]): Promise<string> => {
      return (await runInProcess(['call', 'webSearch', '--query', 'x', ...argv])).stderr.split('\n  ')[1]!;
    };
    try {
      process.chdir(folder);
      expect(await hint()).toMatch(/^Set them in the environment or in a file that --env names, or add --sandbox/);
      await writeFile('.env', 'OTHER=1\n');
      expect(await hint()).toMatch(/^There is a file \.env: add --env \.env to read it\. Or set them in the environment, or/);
      expect(await hint('--env', '.env')).toMatch(/^Set them in \.env, or/);
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true });
    }
  });

  it('reads environment variables from a file, and says where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-env-'));
    const file = join(folder, '.env');
    try {
      const { code, stderr } = await runInProcess(['call', 'webSearch', '--query', 'coffee', '--env', file]);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `trawler: --env: there is no file ${file}.\n  Copy .env.example, which 'trawler init' writes, and fill it in. It has lines such as TRAWLER_API_KEY=….\n`,
      );
      expect((await runInProcess(['call', 'webSearch', '--query', 'coffee', `--env=${folder}`])).stderr).toContain("can't be read");
      await writeFile(file, 'TRAWLER_KEPT=file\nTRAWLER_ADDED=file\nTRAWLER_EMPTY=file\n');
      vi.stubEnv('TRAWLER_EMPTY', '');
      vi.stubEnv('TRAWLER_KEPT', 'set');
      vi.stubEnv('TRAWLER_ADDED', undefined);
      await runInProcess(['call', 'webSearch', '--query', 'coffee', '--env', file]);
      expect(['KEPT', 'ADDED', 'EMPTY'].map((name) => process.env[`TRAWLER_${name}`])).toEqual(['set', 'file', 'file']);
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });

  it.each<[string, string, BufferEncoding]>([
    ['the mark of UTF-8', '\ufeffTRAWLER_ADDED=é\r\nTRAWLER_SECOND="2"\r\n', 'utf8'],
    ['UTF-16', '\ufeffTRAWLER_ADDED=é\r\nTRAWLER_SECOND="2"\r\n', 'utf16le'],
  ])('reads a file of variables that begins with %s, as programs of Windows write it', async (_, text, encoding) => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-env-'));
    const file = join(folder, '.env');
    try {
      await writeFile(file, text, encoding);
      for (const name of ['TRAWLER_ADDED', 'TRAWLER_SECOND']) vi.stubEnv(name, undefined);
      await runInProcess(['call', 'webSearch', '--query', 'coffee', '--env', file]);
      expect([process.env['TRAWLER_ADDED'], process.env['TRAWLER_SECOND']]).toEqual(['é', '2']);
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });

  it('fits its help into a narrower terminal', async () => {
    const { stdout } = await runInProcess(['call', '--help'], { terminal: { columns: 60, rows: 20 } });
    const own = stdout.slice(0, stdout.indexOf('Examples')); // command lines stay whole
    for (const line of own.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('has no option that an operation has a parameter of the same name for', async () => {
    const command = await commands['call']?.load();
    const taken = new Set([...Object.keys(command?.options ?? {}), ...Object.keys(clientFlags), 'help']);
    const params = Object.values(operations).flatMap((operation) => Object.keys(operation.params));
    expect(params.filter((param) => taken.has(param))).toEqual([]);
  });
});

describe('the numbers of a client on the command line', () => {
  it.each([
    ['concurrency', 'concurrency'],
    ['timeout-ms', 'timeoutMs'],
  ] as const)('--%s takes what the option of createClient takes, and has its default', (flag, option) => {
    const [ours, theirs] = [clientFlags[flag].number, clientOptions.kinds[option]];
    expect([ours.takes, ours.standard]).toEqual([theirs.takes, theirs.standard]);
  });
});
