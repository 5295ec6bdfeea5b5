import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { runInProcess } from '../cli/runInProcess.ts';

// A browser takes long to draw all columns.
const town = {
  name: 'town',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: ['coffee'], ll: '@40.74,-73.98,14z' },
      pages: 2,
      pick: ['title', 'data_id', 'gps_coordinates', 'rating', 'reviews', 'types', 'phone'],
      to: ['places.csv', 'places.jsonl'],
    },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      keep: { place: '$.title' },
      pages: 2,
      pick: ['rating', 'review_id', 'snippet', 'user', 'iso_date'],
      provenance: true,
      expect: { filled: { snippet: 0.5 } },
      to: 'reviews.jsonl',
    },
  },
};

/** A finished run in a folder of its own: of places and their reviews, or of another flow, with files beside it. */
export async function shownRun(
  definition: object = town,
  files: { readonly [name: string]: string } = {},
  ...always: readonly string[]
): Promise<{
  readonly folder: string;
  readonly flow: string;
  /** Runs it once more. */
  readonly again: (...args: readonly string[]) => Promise<void>;
  readonly remove: () => Promise<void>;
}> {
  const root = await mkdtemp(join(tmpdir(), 'trawler-show-'));
  const [folder, flow] = [join(root, 'town'), join(root, 'town.json')];
  await writeFile(flow, JSON.stringify(definition));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  const again = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await runInProcess(['run', flow, '--sandbox', '--out', folder, '--quiet', ...always, ...args]);
    if (code !== 0) throw new Error(stderr);
  };
  await again();
  return { folder, flow, again, remove: () => rm(root, { recursive: true, force: true }) };
}

/** Writes the journal of a run anew, with its checksums. */
export async function changeJournal(
  folder: string,
  change: (record: JournalLine) => object,
  rewrite: (line: string) => string = (line) => line,
): Promise<void> {
  const journal = join(folder, '.trawler', 'journal.jsonl');
  const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n');
  const changed = lines.map((line) => {
    const { crc: _, ...record } = JSON.parse(line) as JournalLine;
    const text = rewrite(JSON.stringify(change(record))).slice(0, -1);
    return `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`;
  });
  await writeFile(journal, changed.join(''));
}

interface JournalLine {
  readonly type: string;
  readonly at: number;
  readonly crc?: string;
}
