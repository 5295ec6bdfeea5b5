import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (path: string): string => join(root, path);
const manifest = JSON.parse(readFileSync(at('package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

function yaml(path: string): unknown {
  const document = parseDocument(readFileSync(at(path), 'utf8'), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings].map(String), path).toEqual([]);
  return document.toJS();
}

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node?: readonly number[] } };
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly name: string;
  readonly on: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = Object.fromEntries(
  readdirSync(at('.github/workflows')).map((file) => [file, yaml(`.github/workflows/${file}`) as Workflow]),
);
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => [`${name} of ${file}`, job] as const),
);
const runs = ({ steps }: Job): readonly string[] => steps.flatMap(({ run }) => run ?? []);

/** What keeps a command of a step from running: a script or a file that isn't there. */
function missingIn(command: string): string | undefined {
  const [program = '', ...args] = command.split(' ');
  if (program === 'npm' && args[0] === 'run') return Object.hasOwn(manifest.scripts, args[1]!) ? undefined : `no script ${args[1]}`;
  if (program === 'npm') return ['ci', 'publish'].includes(args[0]!) ? undefined : `npm ${args[0]} isn't known`;
  if (program === 'npx') return existsSync(at(`node_modules/.bin/${args[0]}`)) ? undefined : `no package has ${args[0]}`;
  if (program === 'node') return existsSync(at(args[0]!)) ? undefined : `there is no ${args[0]}`;
  if (program === 'git') return undefined;
  try {
    accessSync(at(program), constants.X_OK);
    return undefined;
  } catch {
    return `${program} can't be run`;
  }
}

describe('the workflows', () => {
  it.each(jobs)('call what is there: %s', (_, job) => {
    expect(runs(job).flatMap((run) => run.trim().split('\n')).flatMap((command) => missingIn(command) ?? [])).toEqual([]); // prettier-ignore
    expect(runs(job).length).toBeGreaterThan(0);
    expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    expect(job.steps.flatMap(({ uses }) => uses ?? []).filter((uses) => !/^actions\/[\w-]+@v\d+$/.test(uses))).toEqual([]);
  });

  it.each(jobs)('name what is declared: %s', (_, job) => {
    const text = JSON.stringify(job);
    for (const [, name] of text.matchAll(/\$\{\{ matrix\.(\w+) \}\}/g)) expect(job.strategy?.matrix).toHaveProperty(name!);
    for (const [, name] of text.matchAll(/\$\{\{ (?:vars|secrets)\.(\w+) \}\}/g))
      expect(readFileSync(at('CONTRIBUTING.md'), 'utf8')).toContain(`\`${name}\``);
  });

  it('test on Linux, macOS and Windows, with each Node that is supported, and use the packed package there', () => {
    const { test, package: packed } = workflows['ci.yml']!.jobs;
    const systems = ['ubuntu-latest', 'macos-latest', 'windows-latest'];
    expect([test!['runs-on'], test!.strategy!.matrix.os]).toEqual(['${{ matrix.os }}', systems]);
    expect([packed!['runs-on'], packed!.strategy!.matrix.os]).toEqual(['${{ matrix.os }}', systems]);
    const { node } = test!.strategy!.matrix;
    const [, least] = /^>=(\d+)/.exec(manifest.engines.node)!;
    expect(node![0]).toBe(Number(least));
    const versions = /\['20'[^\]]*\]/.exec(readFileSync(at('scripts/testNodeVersions.mjs'), 'utf8'))![0];
    expect(node!.map(String)).toEqual(JSON.parse(versions.replaceAll("'", '"')));
    expect(runs(packed!)).toContain('npm run package');
    expect(Object.values(workflows['ci.yml']!.jobs).flatMap(runs)).toContain('.ci/run');
  });

  it('publish by tag only, with provenance, after the checks of a release', () => {
    const { on, permissions, jobs } = workflows['release.yml']!;
    expect([on, permissions]).toEqual([{ push: { tags: ['v*'] } }, { contents: 'read' }]);
    const { publish } = jobs;
    expect(publish!.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const commands = runs(publish!);
    expect(commands.slice(-2)).toEqual(['node scripts/release.mjs --tag "$GITHUB_REF_NAME"', 'npm publish --provenance --access public']);
    const others = Object.entries(workflows).filter(([file]) => file !== 'release.yml');
    for (const [, { permissions: theirs }] of others) expect(theirs).toEqual({ contents: 'read' });
    expect(others.flatMap(([, { jobs }]) => Object.values(jobs).flatMap(runs)).join()).not.toContain('publish');
  });
});

describe('dependabot.yml', () => {
  it('looks after every package.json and after the actions', () => {
    const { version, updates } = yaml('.github/dependabot.yml') as {
      readonly version: number;
      readonly updates: readonly {
        readonly 'package-ecosystem': string;
        readonly directory?: string;
        readonly directories?: readonly string[];
        readonly schedule: { readonly interval: string };
      }[];
    };
    expect(version).toBe(2);
    for (const { schedule } of updates) expect(['daily', 'weekly', 'monthly']).toContain(schedule.interval);
    const [npm, actions] = updates;
    expect(npm).toMatchObject({ 'package-ecosystem': 'npm', directories: ['/', '/bench', '/reference'] });
    for (const folder of npm!.directories!) expect(existsSync(at(`.${folder}/package.json`))).toBe(true);
    expect(actions).toMatchObject({ 'package-ecosystem': 'github-actions', directory: '/' });
  });
});

interface Form {
  readonly name: string;
  readonly description: string;
  readonly labels?: readonly string[];
  readonly body: readonly {
    readonly type: string;
    readonly id: string;
    readonly attributes: Readonly<Record<string, string>>;
    readonly validations?: { readonly required: boolean };
  }[];
}

describe('the forms of issues', () => {
  const folder = '.github/ISSUE_TEMPLATE';

  it.each(readdirSync(at(folder)).filter((file) => file !== 'config.yml'))('have what GitHub requires: %s', (file) => {
    const { body, ...form } = yaml(join(folder, file)) as Form;
    expect(Object.keys(form).filter((key) => !['name', 'description', 'title', 'labels', 'assignees'].includes(key))).toEqual([]);
    expect([form.name.length > 2, form.description.length > 2, body.length > 0]).toEqual([true, true, true]);
    expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
    for (const { type, id, attributes, validations, ...rest } of body) {
      expect([Object.keys(rest), id.replace(/[\w-]/g, '')]).toEqual([[], '']);
      const known = { textarea: ['label', 'description', 'placeholder', 'value', 'render'], input: ['label', 'description', 'placeholder', 'value'] }[type]; // prettier-ignore
      expect(known, `${type} of ${id}`).toBeDefined();
      expect(Object.keys(attributes).filter((key) => !known!.includes(key))).toEqual([]);
      expect(attributes['label']!.length).toBeGreaterThan(2);
      expect([undefined, true, false]).toContain(validations?.required);
    }
  });

  it('have a config without empty links, which GitHub refuses', () => {
    const config = yaml(join(folder, 'config.yml')) as {
      readonly blank_issues_enabled: boolean;
      readonly contact_links?: readonly object[];
    };
    expect(config.blank_issues_enabled).toBe(true);
    expect(config.contact_links).not.toEqual([]);
  });
});

describe('SECURITY.md and the form of pull requests', () => {
  it.each(['SECURITY.md', '.github/pull_request_template.md'])('%s names files and commands that are there', (path) => {
    const text = readFileSync(at(path), 'utf8');
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(existsSync(join(dirname(at(path)), target!)), target).toBe(true);
    for (const [, script] of text.matchAll(/`npm run ([\w:]+)`/g)) expect(manifest.scripts).toHaveProperty(script!);
  });
});

describe.skipIf(process.platform === 'win32')('.ci/run, which is for bash', () => {
  it.each([
    ['0', ''],
    ['1001', 'sudo '],
  ])('installs what is missing as user %s with "%sapt-get"', (user, before) => {
    const programs = mkdtempSync(join(tmpdir(), 'trawler-programs-'));
    const program = (name: string, script: string): void => writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    program('id', `echo ${user}`);
    program('dirname', `echo ${at('.ci')}`);
    for (const name of ['ls', 'npm', 'env']) program(name, 'exit 0');
    program('apt-get', 'echo "apt-get $*"');
    program('sudo', 'echo "sudo $*"');
    const said = execFileSync('/bin/bash', [at('.ci/run')], { env: { PATH: programs }, encoding: 'utf8' });
    rmSync(programs, { recursive: true });
    expect(said.split('\n')[0]).toBe(`${before}apt-get update -qq`);
  });
});
