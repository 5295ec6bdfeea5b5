import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresBin, startPostgres, type Postgres } from './startPostgres.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'examples');
const examples = (await readdir(folder)).filter((name) => /\.(mjs|cjs)$/.test(name));

/** What an example says it prints: the comment that it ends in. */
function promised(text: string): string | undefined {
  return /\/\* prints\n([\s\S]*?)\n?\*\/\s*$/.exec(text)?.[1];
}

/** Examples that show more than a pipe may have more lines. */
const longer: Readonly<Record<string, number>> = { 'own-service.mjs': 40, 'postgres.mjs': 40, 'webhook.mjs': 60 };

describe('examples', () => {
  let work: string;
  let printed: { readonly [path: string]: string };
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    if (!existsSync(join(root, 'dist/bundle/index.js')))
      throw new Error('the examples import the package by its name: run `npm run build` first');
    work = await mkdtemp(join(tmpdir(), 'trawler-examples-'));
    const paths = [...examples, 'postgres.mjs?again'].map((name) => join(folder, name));
    const argv = [fileURLToPath(new URL('runExamples.mjs', import.meta.url)), work, ...paths];
    let env = process.env;
    if (postgresBin !== undefined) {
      postgres = await startPostgres();
      const { hostname, port, username } = new URL(postgres.url);
      env = { ...env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: 'postgres', PATH: `${postgresBin}:${env['PATH']}` };
    }
    const { stdout } = await run(process.execPath, argv, { timeout: 300_000, maxBuffer: 2 ** 24, env });
    printed = JSON.parse(stdout) as typeof printed;
  });
  afterAll(async () => {
    await postgres?.close();
    await rm(work, { recursive: true, force: true });
  });

  it.each(examples)('%s prints what it says, in 30 lines', async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    const expected = promised(text);
    if (expected === undefined) throw new Error(`${name} does not end in a comment that says what it prints`);
    const code = text
      .slice(0, text.lastIndexOf('/* prints'))
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('//'));
    // A service of one's own takes a little more (a server, a pipe, a run that is killed), and so does a database's protocol.
    expect(code.length).toBeLessThanOrEqual(longer[name] ?? 30);

    const stdout = printed[join(folder, name)]!;
    // A line that starts with `# skipped:` says what was missing on this machine.
    if (stdout.startsWith('# skipped:')) {
      process.stdout.write(`${name}: ${stdout}`);
      return;
    }
    expect(stdout.trimEnd()).toBe(expected);
  });

  it.skipIf(postgresBin === undefined)('postgres.mjs puts rows into a real PostgreSQL, and the same ones again', async () => {
    const path = join(folder, 'postgres.mjs');
    expect([printed[path], printed[`${path}?again`]].map((said) => said!.trimEnd())).toEqual(
      [1, 2].map(() => promised(readFileSync(path, 'utf8'))),
    );
    expect(await postgres!.psql('SELECT count(*) > 0, count(rating) = count(*) FROM reviews;')).toBe('t|t\n');
  });
});
