import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FlowDefinition } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { postgresBin, startPostgres, type Postgres } from '../startPostgres.ts';
import { runInProcess } from './runInProcess.ts';

const run = promisify(execFile);
const flows = fileURLToPath(new URL('../../examples/flows/', import.meta.url));
const names = readdirSync(flows).filter((name) => existsSync(join(flows, name, `${name}.json`)));
const hasSqlite = await run('sqlite3', ['--version']).then(
  () => true,
  () => false,
);

/** Its output, with a text as its input. */
async function fed(command: string, argv: readonly string[], input: string): Promise<string> {
  const child = spawn(command, argv);
  let [out, errors] = ['', ''];
  child.stdout.on('data', (part) => (out += String(part)));
  child.stderr.on('data', (part) => (errors += String(part)));
  child.stdin.end(input);
  await once(child, 'close');
  if (child.exitCode !== 0 || errors !== '') throw new Error(`${command}: ${errors}\n${input}`);
  return out;
}

describe('the flows to start from', () => {
  let sandbox: Sandbox;
  let postgres: Postgres | undefined;
  let folder: string;
  beforeAll(async () => {
    sandbox = await startSandbox({ day: 6 });
    postgres = postgresBin === undefined ? undefined : await startPostgres();
    folder = await mkdtemp(join(tmpdir(), 'trawler-liked-'));
  });
  afterAll(async () => {
    await sandbox.close();
    await postgres?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The answers from tables that a run loads by itself: each stage has one beside its file. */
  async function loadedAsItRuns(own: string, name: string, questions: readonly string[]): Promise<string[]> {
    const tables = `${name.replaceAll('-', '_')}_loaded`;
    await postgres!.psql(`CREATE SCHEMA ${tables};`);
    const definition = JSON.parse(readFileSync(join(own, `${name}.json`), 'utf8')) as FlowDefinition;
    const stages = Object.entries(definition.stages).map(([stage, { to, ...rest }]) => {
      return [stage, to === undefined ? rest : { ...rest, to: [to, `postgres:${tables}.${stage}`] }];
    });
    writeFileSync(join(own, 'loaded.json'), JSON.stringify({ ...definition, stages: Object.fromEntries(stages) }));
    const argv = ['run', join(own, 'loaded.json'), '--sandbox', '--out', join(own, 'out/loaded'), '--postgres', postgres!.url];
    const { code, stderr } = await runInProcess(argv);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    return Promise.all(questions.map((sql) => postgres!.psql(`SET search_path TO ${tables};\n${sql}`)));
  }

  it.each(ofTheDay(names, 1))(
    '%s: from init to a picture, an update, and three answers in SQL, by commands alone',
    async (name) => {
      const own = join(folder, name);
      const [flow, out] = [join(own, `${name}.json`), join(own, 'out/sandbox')];
      const env = { TRAWLER_API_KEY: sandbox.apiKey, TRAWLER_BASE_URL: sandbox.url };
      const trawler = async (...argv: readonly string[]): Promise<string> => {
        const { code, stdout, stderr } = await runInProcess(argv, { env });
        expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
        return stdout;
      };
      await trawler('init', own, '--like', name);
      expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('<svg');
      const { trawler: ended } = JSON.parse(readFileSync(join(out, 'datapackage.json'), 'utf8')) as {
        readonly trawler: { readonly outcome: string; readonly stages: readonly { readonly rows: number; readonly failed?: number }[] };
      };
      expect(['complete', 'capped']).toContain(ended.outcome);
      for (const stage of ended.stages) expect(stage.failed ?? 0).toBe(0);
      await trawler('run', flow, '--out', out, '--update');

      const page = readFileSync(join(own, `${name}.md`), 'utf8');
      const questions = Array.from(page.matchAll(/```sql\n([^`]+)```/g), ([, sql]) => sql!);
      expect(questions).toHaveLength(3);
      const loaded = (target: string): Promise<string> => trawler('schema', flow, '--for', target, '--out', out);
      const answers: string[][] = [];
      if (hasSqlite) {
        const database = join(own, `${name}.db`);
        await fed('sqlite3', [database], await loaded('sqlite'));
        answers.push(await Promise.all(questions.map((sql) => fed('sqlite3', [database], sql))));
      }
      if (postgres !== undefined) {
        await postgres.psql(`CREATE SCHEMA "${name}"; SET search_path TO "${name}";\n${await loaded('postgres')}`);
        answers.push(await Promise.all(questions.map((sql) => postgres!.psql(`SET search_path TO "${name}";\n${sql}`))));
        answers.push(await loadedAsItRuns(own, name, questions));
      }
      const rows = (text: string): number => text.split('\n').filter((line) => line !== '').length;
      for (const [index, sql] of questions.entries()) {
        const counts = answers.map((all) => rows(all[index]!));
        expect(
          counts.every((count) => count > 0) && counts[0] === (counts[1] ?? counts[0]),
          `${sql}${JSON.stringify(answers.map((all) => all[index]))}`,
        ).toBe(true);
      }
    },
    120_000,
  );

  it('are named where none is, and where there is none of that name', async () => {
    const none = await runInProcess(['init', join(folder, 'none')]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/NAME is one of these:\n +answers +Which sites/)]);
    const other = await runInProcess(['init', join(folder, 'none'), '--like', 'rank']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Did you mean ranks?')]);
    const beside = await runInProcess(['init', join(folder, 'none'), '--like', 'ranks', '--call', 'webSearch']);
    expect([beside.code, beside.stderr]).toEqual([2, expect.stringContaining('leave out --call')]);
  });
});
