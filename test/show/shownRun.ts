import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../cli/runInProcess.ts';

/** A finished run of places and their reviews in a folder of its own. */
export async function shownRun(): Promise<{ readonly folder: string; readonly flow: string; readonly remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'trawler-show-'));
  const [folder, flow] = [join(root, 'town'), join(root, 'town.json')];
  const stages = {
    places: { call: 'mapsSearch', with: { query: ['coffee'], ll: '@40.74,-73.98,14z' }, pages: 2, to: ['places.csv', 'places.jsonl'] },
    reviews: { call: 'placeReviews', each: 'places', keep: { place: '$.title' }, pages: 2, to: 'reviews.jsonl' },
  };
  await writeFile(flow, JSON.stringify({ name: 'town', stages }));
  const { code, stderr } = await runInProcess(['run', flow, '--sandbox', '--out', folder, '--quiet']);
  if (code !== 0) throw new Error(stderr);
  return { folder, flow, remove: () => rm(root, { recursive: true, force: true }) };
}
