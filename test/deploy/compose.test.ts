import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { freePort } from '../freePort.ts';
import { postgresBin, startPostgres } from '../startPostgres.ts';
import { root } from '../testedPackage.ts';
import { Composed, missing, ofDockerfile } from './Composed.ts';

const isLong = process.env['TRAWLER_LONG'] === '1';
const why = isLong ? missing : 'only TRAWLER_LONG=1 does, and CI runs the file itself for each push';
if (why !== undefined) console.warn(`Services of a compose file aren't started: ${why}`);

describe.skipIf(why !== undefined || postgresBin === undefined)('examples/deploy/compose.yaml', () => {
  it('crawls into tables; the leader is stopped on the way, and resumes', { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-compose-'));
    const postgres = await startPostgres();
    const { port, username } = new URL(postgres.url);
    const own = { PGPORT: port, PGUSER: username };
    await cp(join(root, 'examples/deploy'), join(folder, 'deploy'), { recursive: true });
    const crawl = join(folder, 'deploy/crawl.json');
    const flow = JSON.parse(await readFile(crawl, 'utf8')) as { readonly stages: { readonly places: object } };
    Object.assign(flow.stages.places, { limit: 40 }); // enough to be stopped in the middle
    await writeFile(crawl, JSON.stringify(flow));
    const file = join(folder, 'deploy/compose.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('scale: 2', 'scale: 1'));
    const composed = await Composed.read(file, folder, own);
    try {
      await postgres.psql('CREATE DATABASE trawler;\nCREATE DATABASE local;');
      for (const [name, value] of Object.entries({ ...own, PGHOST: '127.0.0.1', PGDATABASE: 'local' })) vi.stubEnv(name, value);
      expect(await runInProcess(['run', crawl, '--sandbox', '--out', join(folder, 'local'), '--quiet'])).toMatchObject({ code: 0 });

      const leader = await freePort();
      const [first] = await composed.up('leader', leader);
      await scraped(leader, /./);
      expect(isHealthy(leader)).toBe(true);
      const worker = await freePort();
      const [works] = await composed.up('worker', worker);
      const page = await freePort();
      const [shows] = await composed.up('page', page);
      const metrics = await scraped(leader, /^trawler_rows\{flow="cafes",stage="reviews"\} [1-9]\d/m);
      first!.kill('SIGTERM');
      expect([await first!.ended, first!.said()]).toEqual([143, expect.stringContaining('cafes: interrupted')]);

      const [second] = await composed.up('leader', leader);
      expect([await second!.ended, second!.said()]).toEqual([0, expect.stringContaining('cafes: done')]);
      expect(isHealthy(leader)).toBe(true); // nothing is served any more
      for (const table of ['places', 'reviews']) expect(await digestOf('trawler', table)).toBe(await digestOf('local', table));
      const written = join(composed.volume('data'), 'cafes/reviews.jsonl');
      expect(await linesOf(written)).toEqual(await linesOf(join(folder, 'local/reviews.jsonl')));
      expect((await stat(written)).uid).toBe(Number(ofDockerfile('USER').split(':')[0]));

      expect(await scraped(worker, /./)).toMatch(/^trawler_requests_total\{.*outcome="ok"\} [1-9]/m);
      const { pathname, search } = new URL(shows!.said().split('\n')[0]!);
      const shown = (path: string): Promise<string> => fetch(`http://127.0.0.1:${page}${path}${search}`).then((answer) => answer.text());
      expect(await shown(pathname)).toContain('<title>');
      expect(JSON.parse(await shown('/api/runs'))).toEqual([expect.objectContaining({ id: 'cafes', phase: 'done' })]);
      await postgres.close(); // first, as may be where all are stopped at once
      for (const each of [works!, shows!]) each.kill('SIGTERM');
      expect(await Promise.all([works!.ended, shows!.ended])).toEqual([0, 0]);
      if (spawnSync('promtool', ['--version']).status !== 0) return console.log('promtool was not asked: apt-get install prometheus');
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
      expect([status, stdout + stderr]).toEqual([0, '']);
    } finally {
      vi.unstubAllEnvs();
      composed.close();
      await postgres.close();
      await rm(folder, { recursive: true, force: true });
    }

    function digestOf(database: string, table: string): Promise<string> {
      return postgres.psql(`\\c ${database}\nSELECT count(*), md5(string_agg(t::text, ' ' ORDER BY t::text)) FROM ${table} t;`);
    }
  });
});

const linesOf = async (path: string): Promise<readonly string[]> => (await readFile(path, 'utf8')).split('\n').toSorted();

/** The metrics of a port, once they are as they should be. */
async function scraped(port: number, wanted: RegExp): Promise<string> {
  for (;;) {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    if (wanted.test(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What the health check of the Dockerfile says of a service. */
function isHealthy(port: number): boolean {
  const [, ...args] = JSON.parse(ofDockerfile('  CMD').replace('9464', String(port))) as readonly string[];
  return spawnSync(process.execPath, args).status === 0;
}
