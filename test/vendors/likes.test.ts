import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { startSerper } from './serper.ts';
import type { StandIn, StandInOptions } from './standIn.ts';
import { places } from './world.ts';

/** A vendor, and the flows to start from whose operations it has. */
interface Liked {
  readonly name: string;
  readonly start: (options?: StandInOptions) => Promise<StandIn>;
  readonly carries: readonly string[];
  /** Operations that the others need, of which it lacks one. */
  readonly lacks: { readonly [flow: string]: string };
}

const vendors: readonly Liked[] = [
  {
    name: 'serper',
    start: startSerper,
    carries: ['leads', 'bad-reviews', 'news', 'rank-grid'],
    lacks: { ranks: 'mobileSearch', jobs: 'jobSearch', answers: 'aiMode', 'hotel-prices': 'hotelSearch', offers: 'immersiveProduct', patents: 'patentDetails' },
  },
]; // prettier-ignore

/** The place that the grid of ranks looks for: of the flow, and one that is in this world. */
const sought = { flow: 'ChIJufRqS2Q1A3sUvVV2kI2HcA', here: places({ day: 0 }, 'bakery')[1]!.placeId };

describe.each(vendors)('the flows to start from, with $name', ({ name, start, carries, lacks }) => {
  const variable = name.toUpperCase();
  let folder = '';
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const init = async (flow: string) => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-liked-'));
    return await runInProcess(['init', folder, '--like', flow, '--service', name]);
  };

  it.each(carries)('%s runs from init to its picture', async (flow) => {
    await using standIn = await start();
    expect((await init(flow)).stderr).toMatch(/^Wrote /);
    const file = join(folder, `${flow}.json`);
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(sought.flow, sought.here));
    const env = { [`${variable}_API_KEY`]: standIn.key, [`${variable}_BASE_URL`]: standIn.url };
    const out = join(folder, 'out');
    const { code, stdout, stderr } = await runInProcess(['run', file, '--out', out], { env });
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('Error') as string]);
    expect(await readFile(join(out, 'report.html'), 'utf8')).toMatch(/<svg|<table/);
    const tables = (await readdir(out)).filter((name) => name.endsWith('.csv'));
    for (const table of tables) expect((await readFile(join(out, table), 'utf8')).trim().split('\n').length).toBeGreaterThan(1);
    const refused = standIn.requests.filter(({ status }) => status !== 200 && status !== 429);
    expect([standIn.unknown, refused.map(({ path, status }) => [path, status])]).toEqual([[], []]);
  });

  it.each(Object.entries(lacks))('%s is refused with a word for %s', async (flow, operation) => {
    const { code, stderr } = await init(flow);
    expect([code, stderr]).toEqual([2, expect.stringContaining(operation) as string]);
  });
});
