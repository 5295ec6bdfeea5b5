import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/search/index.ts';
import { runInProcess } from '../runInProcess.ts';

const names = Object.keys(operations);

describe('trawler operations', () => {
  it('lists all operations, one per line, with path and rows', async () => {
    const { code, stdout } = await runInProcess(['operations']);
    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.slice(1).map((line) => line.split(/\s+/)[0])).toEqual(names);
    expect(stdout).toMatch(/^mapsReviews +\/maps\/reviews +reviews_results +Reviews of one place\.$/m);
  });

  it('says why a service can not be loaded, in its own words', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-operations-'));
    await writeFile(join(folder, 'own.mjs'), "throw new RangeError('did you mean offset?');");
    const { code, stderr } = await runInProcess(['operations', '--service', join(folder, 'own.mjs')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/own\.mjs can't be loaded as a module: did you mean offset\?\n/)]);
    await rm(folder, { recursive: true });
  });

  it('says of a service without operations that only the proxy can use it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-operations-'));
    const service = join(folder, 'shop.json');
    await writeFile(service, JSON.stringify({ name: 'shop', operations: {} }));
    const all = [
      await runInProcess(['operations', '--service', service]),
      await runInProcess(['operations', '--service', service, '--json']),
    ];
    expect(all.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "shop describes no operation, so only 'trawler proxy' can use it.\n"],
      [0, '[]\n'],
    ]);
    await rm(folder, { recursive: true });
  });

  it('wraps the table on a terminal', async () => {
    const { stdout } = await runInProcess(['operations'], { terminal: { columns: 80, rows: 24 } });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each(names)('describes %s: every parameter with its type and default, rows and paging', async (name) => {
    const { code, stdout } = await runInProcess(['operations', name]);
    expect(code).toBe(0);
    for (const [param, { type, default: fallback, required }] of Object.entries(operations[name as keyof typeof operations].params)) {
      const line = stdout.split('\n').find((one) => one.startsWith(`  ${param} `));
      expect(line).toContain(type);
      expect(line).toContain(fallback === undefined ? '' : String(fallback));
      expect(line?.includes('required')).toBe(required === true);
    }
    expect(stdout).toMatch(/\n\nRows\n {2}.*\n(.*\n)*\nPaging\n {2}./);
  });

  it('prints one or all as JSON', async () => {
    const all = JSON.parse((await runInProcess(['operations', '--json'])).stdout) as readonly { readonly name: string }[];
    expect(all.map((one) => one.name)).toEqual(names);
    const one = JSON.parse((await runInProcess(['operations', 'mapsReviews', '--json'])).stdout) as { readonly params: readonly object[] };
    expect(one.params).toContainEqual(expect.objectContaining({ name: 'data_id', required: true }));
  });

  it('names the nearest operation and option', async () => {
    expect(await runInProcess(['operations', 'mapReview'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "trawler: There is no operation 'mapReview'.\n  Did you mean mapsReviews?\n",
    });
    expect((await runInProcess(['operations', 'xyzzyxyzzyxyzzy'])).stderr).toContain("'trawler operations' lists them all.");
    expect((await runInProcess(['operations', '--josn'])).stderr).toContain('Did you mean --json?');
    expect((await runInProcess(['operations', 'aiMode', 'webSearch'])).code).toBe(2);
  });
});
