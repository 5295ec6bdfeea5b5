import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { ofTheDay } from '../ofTheDay.ts';
import type { StandIn } from './standIn.ts';

/** What the files of each flow must have in their first line, by name. Whoever is asked, they have our columns. */
const columns: { readonly [like: string]: { readonly [file: string]: readonly string[] } } = {
  leads: { places: ['title', 'data_id', 'gps_coordinates.latitude', 'rating', 'city'], reviews: ['review_id', 'rating', 'iso_date', 'place'] },
  ranks: { ranks: ['link', 'title', 'word', 'rank', 'page'] },
  'bad-reviews': { 'bad-reviews': ['place', 'rating', 'iso_date', 'review_id', 'snippet'] },
  jobs: { jobs: ['title', 'company_name', 'location', 'via', 'job_id', 'share_link', 'job'] },
  news: { articles: ['title', 'link', 'source', 'date', 'topic'] },
  'rank-grid': { ranks: ['title', 'place_id', 'rank', 'word'] },
  citing: { works: ['title', 'id', 'inline_links.cited_by.total'], citing: ['cited', 'cited_id', 'id'], authors: ['title', 'cited_by.value'] },
  answers: { answers: ['question', 'link', 'domain', 'cited'], overviews: ['question', 'link', 'domain', 'cited'] },
  patents: { details: ['publication_number', 'title', 'filing_date', 'country'] },
  'hotel-prices': { hotels: ['title', 'link', 'property_token', 'price'], nights: ['source', 'price', 'hotel', 'night'] },
  offers: { offers: ['name', 'price', 'delivery_fee', 'total_price', 'link', 'product'] },
}; // prettier-ignore

/** Runs the flows of `init --like` with a vendor, from init to their files. What it lacks is refused before a file is written. */
export function vendorFlows(vendor: string, start: () => Promise<StandIn>, able: readonly string[], lacking: readonly string[]): void {
  describe(`the flows with ${vendor}`, () => {
    let standIn: StandIn;
    let folder: string;
    beforeAll(async () => {
      standIn = await start();
      folder = await mkdtemp(join(tmpdir(), 'trawler-flows-'));
    });
    afterAll(async () => {
      await standIn.close();
      await rm(folder, { recursive: true });
    });

    it.each(ofTheDay(able, 1))('%s', async (like) => {
      const at = join(folder, like);
      // It runs it on the sandbox, where a stage that finds nothing is doubtful.
      const made = await runInProcess(['init', at, '--like', like, '--service', vendor]);
      expect([made.stderr, made.code <= 1]).toEqual([expect.stringContaining('Wrote'), true]);
      expect(made.stderr).not.toMatch(/short|failed/);
      expect(like === 'leads' ? made.stderr : '').not.toContain('made no query'); // the sandbox doesn't know how many reviews a place has
      const path = join(at, `${like}.json`);
      // whoever comes first is the one whose rank is looked for
      const flow = (await readFile(path, 'utf8')).replaceAll('"ChIJufRqS2Q1A3sUvVV2kI2HcA"', '{ "exists": true }').replaceAll('"domain": "acme.example"', '"exists": true').replace('"by": "data_id",', '"by": "data_id", "limit": 3,'); // prettier-ignore
      await writeFile(path, flow);
      const out = join(folder, `${like}-out`);
      const name = vendor.toUpperCase();
      const env = { [`${name}_API_KEY`]: standIn.key, [`${name}_BASE_URL`]: standIn.url };
      const ran = await runInProcess(['run', path, '--first', '1', '--out', out, '--rate', '45', '--quiet'], { env });
      expect([ran.stderr, ran.code, standIn.unknown]).toEqual(['', 0, []]);
      const files = await readdir(out);
      for (const [file, expected] of Object.entries(columns[like]!)) {
        const [heading, ...rows] = (await readFile(join(out, files.find((one) => one.startsWith(`${file}.csv`))!), 'utf8')).trimEnd().split('\n'); // prettier-ignore
        expect(heading!.split(',')).toEqual(expect.arrayContaining([...expected]));
        expect(rows.length).toBeGreaterThan(0);
      }
      expect(await readFile(join(out, 'report.html'), 'utf8')).toMatch(/<svg|<table/);
    });

    it.each(lacking)('not %s, and says so', async (like) => {
      const refused = await runInProcess(['init', join(folder, like), '--like', like, '--service', vendor]);
      // it names what is lacking: an operation and who has it, a parameter or a column
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/ (has|have) no |isn't a list|doesn't say how/) as string]);
      expect(refused.stderr).not.toMatch(/\d:\d|stages\./); // places in a file that wasn't written
      const [, offered = ''] = refused.stderr.split(`With ${vendor} these run:`);
      expect(Array.from(offered.matchAll(/--like (\S+?)(?=[,\s])/g), ([, name]) => name)).toEqual(expect.arrayContaining([...able]));
      expect(await readdir(folder)).not.toContain(like);
    });
  });
}
