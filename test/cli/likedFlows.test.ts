import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
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

type Row = { readonly [column: string]: string };

/** A flow that was run on the first day and updated on a later one, on which the world has moved. */
interface Ran {
  /** The rows of a file, before the update and after it. */
  readonly before: (file: string) => readonly Row[];
  readonly after: (file: string) => readonly Row[];
  /** What an update says of a stage. */
  readonly changes: (
    stage: string,
  ) => readonly { readonly change: string; readonly field?: string; readonly was?: Row; readonly row: Row }[];
  /** The rows that a question of the page has after the update. */
  readonly sql: (question: string) => readonly string[];
  /** What the command wrote, with its count of requests. */
  readonly first: string;
  readonly update: string;
  /** What the command writes when the flow is run once more from the start, with these keys. */
  readonly fresh: (more: Partial<FlowDefinition>) => Promise<string>;
  /** What the command and the report of an update say whose stages take one page of each query. */
  readonly capped: () => Promise<readonly string[]>;
  readonly report: string;
}

const requests = (text: string): number => Number(/; ([\d,]+) requests?/.exec(text)![1]!.replaceAll(',', ''));
const values = (rows: readonly Row[], ...columns: readonly string[]): readonly string[] =>
  rows.map((row) => columns.map((column) => row[column]).join(' '));
const allStay = (before: readonly string[], after: readonly string[]): void => expect(after).toEqual(expect.arrayContaining([...before]));

/** Rows of an earlier run stay with their `first_seen`, and only the new ones have a later one. */
function newRowsAreTold({ before, after }: Ran, file: string, ...key: readonly string[]): number {
  allStay(values(before(file), ...key, 'first_seen'), values(after(file), ...key, 'first_seen'));
  const known = new Set(values(before(file), ...key));
  const started = before(file)[0]!['first_seen']!;
  const added = after(file).filter((row) => !known.has(values([row], ...key)[0]!));
  expect(added.length).toBeGreaterThan(0);
  for (const { first_seen } of added) expect(first_seen! > started).toBe(true);
  return added.length;
}

/** Each of two runs has its rows, and the latest ones differ in this column. */
function runsAreJoined({ before, after }: Ran, file: string, moved: string): void {
  allStay(values(before(file), 'seen_at', moved), values(after(file), 'seen_at', moved));
  expect(new Set(values(after(file), 'seen_at')).size).toBe(2);
  const latest = after(file).filter((row) => row['seen_at'] !== before(file)[0]!['seen_at']);
  expect(values(latest, moved)).not.toEqual(values(before(file), moved));
}

/** What the page of each flow says, and whether it is so. */
const promises: { readonly [name: string]: { readonly [sentence: string]: (ran: Ran) => void | Promise<void> } } = {
  answers: {
    'Three requests for each question': ({ first }) => expect(requests(first)).toBe(12),
    'in which share of the latest answers each site is, and the change since the run before': ({ first, update, report }) => {
      expect(first).toMatch(/Share of answers with a site among their sources\ndomain +share +found in\n/);
      expect(update).toMatch(/acme\.example +[\d.]+ % +\d of 4 +\+[\d.]+ points/);
      expect(report).not.toContain('for the rest');
    },
    'The sources of each run join those before.': (ran) => {
      runsAreJoined(ran, 'answers.csv', 'link');
      expect(ran.sql('How large is the share of my site, run by run?')).toHaveLength(2);
    },
  },
  'bad-reviews': {
    'Each update takes about one request for each place.': ({ update }) => expect(requests(update)).toBe(3),
    '`first_seen` says which run found it.': (ran) =>
      expect(ran.sql('What is new?')).toHaveLength(newRowsAreTold(ran, 'bad-reviews.csv', 'data_id', 'review_id')),
    'New rows are in `changes/`': (ran) =>
      expect(
        values(
          ran.changes('reviews').map(({ row }) => row),
          'review_id',
        ),
      ).toHaveLength(newRowsAreTold(ran, 'bad-reviews.csv', 'data_id', 'review_id')),
  },
  citing: {
    'Everything is requested again, and the authors of new papers, too.': ({ first, update }) =>
      expect(requests(update)).toBeGreaterThan(requests(first)),
    '`first_seen` tells new papers from old ones': (ran) => {
      newRowsAreTold(ran, 'citing.csv', 'id', 'cited_id');
    },
    'add `"store": "responses"` and run it with `--fresh`': async ({ fresh }) => {
      await fresh({ store: 'responses' });
      expect(requests(await fresh({ store: 'responses' }))).toBe(0);
    },
  },
  'hotel-prices': {
    'three hotels and 31 nights are 94 requests': ({ first }) => expect(requests(first)).toBe(94),
    'Prices of each run join those before, and `seen_at` says which run saw them.': (ran) => runsAreJoined(ran, 'nights.csv', 'price'),
    'Prices are texts, such as `441 USD`.': ({ after, update, sql }) => {
      const rows = after('nights.csv');
      const runs = [...new Set(values(rows, 'seen_at'))].toSorted();
      const latest = rows.filter((row) => row['seen_at'] === runs[1]);
      const told = `nights: ${latest.length} rows of this run, ${rows.length} in all; .*numbers: [1-9]\\d* rose, [1-9]\\d* fell`;
      expect(update).toMatch(new RegExp(told));
      const hotels = [...new Set(values(rows, 'hotel'))];
      const usd = (hotel: string, run: string): readonly number[] => {
        const nights = new Map<string, number>();
        for (const { night, price } of rows.filter((row) => row['hotel'] === hotel && row['seen_at'] === run))
          nights.set(night!, Math.min(Number(price!.replace(' USD', '')), nights.get(night!) ?? Infinity));
        return [...nights].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, least]) => least);
      };
      const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
      const moves = sql('How did the prices of each hotel move since the run before?').map((line) => line.split('|'));
      expect(moves).toHaveLength(2 * hotels.length);
      for (const hotel of hotels) {
        const [was, is] = runs.map((run) => usd(hotel, run));
        const [, now] = moves.filter(([name]) => name === hotel);
        expect(Math.abs(Number(now![3]) - (mean(is!) - mean(was!)))).toBeLessThan(0.51);
        expect(Number(now![4])).toBe(is!.filter((price, night) => price > was![night]!).length);
        expect(sql('Which nights are cheapest in each hotel?').filter((line) => line.startsWith(`${hotel}|`))).toHaveLength(3);
      }
    },
    '`report.html` begins with the average price of each hotel and its change, and a line for each hotel': ({ report, after, update }) => {
      expect(update).toMatch(/average price \(USD\) +rows +since the run before\n.* 93 +[+−][\d.]+\n/);
      expect(report).toContain('nights.csv: lowest price (USD) by night');
      const beginning = report.slice(0, report.indexOf('<h2>Files</h2>'));
      for (const hotel of values(after('hotels.csv'), 'title')) expect(beginning).toContain(hotel);
    },
  },
  jobs: {
    '`first_seen` says when it was found first': (ran) =>
      expect(ran.sql('What is new?')).toHaveLength(Math.min(10, newRowsAreTold(ran, 'jobs.csv', 'job_id'))),
    'The report and the terminal show only the new ones': (ran) => {
      const told = `jobs.csv: ${newRowsAreTold(ran, 'jobs.csv', 'job_id')} new rows of ${ran.after('jobs.csv').length}`;
      expect([ran.update, ran.report]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
    },
    'Jobs that are gone stay in the file.': ({ before, after, changes, sql, update }) => {
      const gone = after('jobs.csv').filter((row) => row['last_seen'] === before('jobs.csv')[0]!['last_seen']);
      expect(update).toContain(` 0 changed, ${gone.length} gone: see `);
      expect(changes('jobs').filter(({ change }) => change === 'gone')).toHaveLength(gone.length);
      expect(sql('Which are gone?')).toHaveLength(gone.length);
    },
    '`gone: not known` with the reason': async ({ capped }) => {
      const said = 'gone: not known, 1 query was capped';
      expect(await capped()).toEqual([expect.stringContaining(said), expect.stringContaining('not known: 1 query was capped')]);
    },
  },
  leads: {
    '`first_seen` tells the new rows.': (ran) => {
      newRowsAreTold(ran, 'places.csv', 'data_id');
      newRowsAreTold(ran, 'reviews.csv', 'data_id', 'review_id');
    },
    'The report and the terminal show only the new places': (ran) => {
      const told = `places.csv: ${newRowsAreTold(ran, 'places.csv', 'data_id')} new rows of ${ran.after('places.csv').length}`;
      expect([ran.update, ran.report]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
      expect(ran.report.match(/<svg class="map still"/g)).toHaveLength(1);
      expect([...new Set(values(ran.after('places.csv'), 'type'))].toSorted()).toEqual(['Dentist', 'Park']); // parks are what any query finds
    },
    'A place that only changes its rank or its count of reviews is no change.': ({ changes }) => {
      const moved = changes('places').filter(({ change }) => change === 'changed');
      expect(moved.length).toBeGreaterThan(0);
      expect(JSON.stringify(moved)).not.toMatch(/"(rank|reviews)"/);
    },
    'Reviews are requested only of places whose number of reviews has changed': ({ first, update }) => {
      expect(update).toContain('skipped, as nothing has changed');
      expect(requests(update)).toBeLessThan(requests(first) / 2);
    },
  },
  news: {
    'One request for each topic.': ({ first, update }) => expect([requests(first), requests(update)]).toEqual([2, 2]),
    'The report and the terminal show only the new ones': (ran) => {
      const told = `articles.csv: ${newRowsAreTold(ran, 'articles.csv', 'topic', 'link')} new rows of ${ran.after('articles.csv').length}`;
      expect([ran.update, ran.report]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
      expect(ran.changes('articles').filter(({ change }) => change === 'changed')).toEqual([]);
    },
    'Articles that are `gone` are those that the search no longer shows.': ({ before, after, changes }) => {
      const gone = changes('articles').filter(({ change }) => change === 'gone');
      expect(gone.length).toBeGreaterThan(0);
      const started = before('articles.csv')[0]!['last_seen'];
      expect(
        values(
          after('articles.csv').filter((row) => row['last_seen'] === started),
          'link',
        ).toSorted(),
      ).toEqual(
        values(
          gone.map(({ row }) => row),
          'link',
        ).toSorted(),
      );
    },
    'Articles of earlier runs stay, and `first_seen` tells the new ones.': (ran) =>
      expect(ran.sql('What is new?')).toHaveLength(Math.min(10, newRowsAreTold(ran, 'articles.csv', 'topic', 'link'))),
  },
  offers: {
    'Every seller of a list of products': ({ sql }) => {
      for (const question of ['Who is cheapest?', 'Who delivers for nothing?'])
        expect([question, ...new Set(sql(question).map((line) => line.split('|')[0]))]).toEqual([question, 'desk lamp', 'kettle']);
    },
    'The offers of each run join those before.': (ran) => {
      runsAreJoined(ran, 'offers.csv', 'price');
      const sellers = ran.sql('How far are prices apart?').map((line) => Number(line.split('|')[1]));
      expect(sellers.reduce((sum, count) => sum + count, 0)).toBe(ran.before('offers.csv').length);
    },
    '`changes/` says which are new and gone, and whose price rose or fell.': ({ changes }) =>
      expect(changes('offers').filter(({ change, field }) => change === 'rose' && field === 'price').length).toBeGreaterThan(0),
  },
  patents: {
    'the store keeps responses, so no patent is paid for twice': async ({ before, first, fresh }) => {
      const asked = [...values(before('details.csv'), 'publication_number'), ...values(before('cited.csv'), 'publication_number')];
      expect(requests(first)).toBe(new Set(asked).size);
      expect(requests(await fresh({}))).toBe(0);
    },
    'An update (`--update`) would request all of them again.': ({ first, update }) => expect(requests(update)).toBe(requests(first)),
  },
  'rank-grid': {
    '49 points are 49 to 147 requests': ({ first }) => {
      expect(requests(first)).toBeGreaterThanOrEqual(49);
      expect(requests(first)).toBeLessThanOrEqual(147);
    },
    'The rows of each run join those before.': (ran) => {
      runsAreJoined(ran, 'ranks.csv', 'rank');
      expect(ran.sql('Did it get better from run to run?')).toHaveLength(2);
      expect(ran.update).toMatch(/Paper Bakery +bakery +[\d.]+ +42 +(up|down) [\d.]+\n/);
      expect(ran.report).toContain('ranks.csv, Paper Bakery, bakery: rank at 42 of 49 points');
    },
  },
  ranks: {
    'four lines are 4 to 24 requests': ({ first }) => expect(requests(first)).toBeGreaterThanOrEqual(4),
    'The rows of each run join those before, and `seen_at` tells them apart.': (ran) => {
      runsAreJoined(ran, 'ranks.csv', 'rank');
      expect(ran.sql('How did it move?').length).toBeGreaterThan(ran.before('ranks.csv').length);
    },
    '`changes/` says what rose and fell.': ({ changes, sql, update }) => {
      const moves = sql('How did it move?').map((line) => Number(line.split('|').at(-1)));
      const [up, down] = [moves.filter((by) => by > 0).length, moves.filter((by) => by < 0).length];
      expect(up + down).toBeGreaterThan(0);
      expect(update).toContain(`(ranks: ${up} up, ${down} down)`);
      expect(changes('ranks').map(({ change }) => change)).not.toContain('new');
      expect(changes('ranks').filter(({ field }) => field === 'rank').length).toBeGreaterThan(0);
    },
  },
};

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

  /** The answers from tables that a run and an update load by themselves: each stage has one beside its file. */
  async function loadedAsItRuns(own: string, name: string, questions: readonly string[]): Promise<string[]> {
    const tables = `${name.replaceAll('-', '_')}_loaded`;
    await postgres!.psql(`CREATE SCHEMA ${tables};`);
    const definition = JSON.parse(readFileSync(join(own, `${name}.json`), 'utf8')) as FlowDefinition;
    const stages = Object.entries(definition.stages).map(([stage, { to, ...rest }]) => {
      return [stage, to === undefined ? rest : { ...rest, to: [to, `postgres:${tables}.${stage}`] }];
    });
    writeFileSync(join(own, 'loaded.json'), JSON.stringify({ ...definition, stages: Object.fromEntries(stages) }));
    const argv = ['run', join(own, 'loaded.json'), '--sandbox', '--out', join(own, 'out/loaded'), '--postgres', postgres!.url];
    const update = name === 'patents' ? [] : [['--day', '6', '--update']]; // its stage has no key, which a table needs for an update
    for (const more of [[], ...update]) {
      const { code, stderr } = await runInProcess([...argv, ...more]);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    }
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

  it.each(ofTheDay(names, 2))(
    '%s keeps what its page says',
    async (name) => {
      const own = join(folder, `${name}-kept`);
      const [flow, out] = [join(own, `${name}.json`), join(own, 'out/sandbox')];
      await using later = await startSandbox({ day: 12 });
      const env = { TRAWLER_API_KEY: later.apiKey, TRAWLER_BASE_URL: later.url };
      const trawler = async (...argv: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> => {
        const ended = await runInProcess(argv, { env });
        expect([ended.code, ended.code === 0 ? '' : ended.stderr]).toEqual([0, '']);
        return ended;
      };
      const rowsOf = (file: string): readonly Row[] => parse(readFileSync(join(out, file), 'utf8'), { columns: true });
      const answersOf = async (sql: string): Promise<readonly string[]> => {
        const database = join(own, 'kept.db');
        await rm(database, { force: true });
        await fed('sqlite3', [database], (await trawler('schema', flow, '--for', 'sqlite', '--out', out)).stdout);
        return (await fed('sqlite3', [database], sql)).split('\n').filter((line) => /^[^|]+\|/.test(line));
      };
      const { stderr: first } = await trawler('init', own, '--like', name);
      expect(first).toMatch(/: done after .*\nThe sandbox made these rows up\.\n/);
      expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain(' UTC. The sandbox made these rows up.');
      expect(first).not.toMatch(/nothing reads|not as documented|failed/); // a first run warns of nothing
      const kept = new Map(readdirSync(out).flatMap((file) => (file.endsWith('.csv') ? [[file, rowsOf(file)] as const] : [])));
      const { stderr: update } = await trawler('run', flow, '--out', out, '--update');
      const page = readFileSync(join(own, `${name}.md`), 'utf8');
      const questions = new Map(Array.from(page.matchAll(/\*\*([^*]+)\*\*\n\n```sql\n([^`]+)```/g), ([, title, sql]) => [title!, sql!]));
      const answers = new Map<string, readonly string[]>();
      for (const [title, sql] of questions) answers.set(title, await answersOf(sql));
      const ran: Ran = {
        before: (file) => kept.get(file)!,
        after: rowsOf,
        changes: (stage) => {
          const [last] = readdirSync(join(out, 'changes'));
          const lines = readFileSync(join(out, 'changes', last!, `${stage}.jsonl`), 'utf8').trim();
          return lines.split('\n').map((line) => JSON.parse(line) as ReturnType<Ran['changes']>[number]);
        },
        sql: (title) => answers.get(title)!,
        first,
        update,
        fresh: async (more) => {
          const again = join(own, 'again.json');
          writeFileSync(again, JSON.stringify({ ...(JSON.parse(readFileSync(flow, 'utf8')) as FlowDefinition), ...more }));
          return (await trawler('run', again, '--out', join(own, 'out/again'), '--fresh')).stderr;
        },
        capped: async () => {
          const { stages, ...rest } = JSON.parse(readFileSync(flow, 'utf8')) as FlowDefinition;
          const short = join(own, 'short.json');
          writeFileSync(
            short,
            JSON.stringify({
              ...rest,
              stages: Object.fromEntries(Object.entries(stages).map(([stage, keys]) => [stage, { ...keys, pages: 1 }])),
            }),
          );
          const folder = join(own, 'out/short');
          await trawler('run', short, '--sandbox', '--out', folder);
          const { stderr } = await trawler('run', short, '--sandbox', '--day', '30', '--out', folder, '--update');
          return [stderr, readFileSync(join(folder, 'report.html'), 'utf8')];
        },
        report: readFileSync(join(out, 'report.html'), 'utf8'),
      };
      const links = Array.from(page.matchAll(/\]\(([^):#]+)[^):]*\)/g), ([, link]) => link!);
      expect(links.filter((link) => !existsSync(join(own, link)))).toEqual([]);
      const said = page.replaceAll(/\s+/g, ' ');
      const week = /^npx (trawler run \S+ --sandbox --out out\/sandbox --update --day 7)$/m.exec(page)?.[1];
      expect(week === undefined).toBe(name === 'patents'); // it has a store, and no update
      expect(first.includes(`  npx ${week}\n`)).toBe(week !== undefined);
      for (const [sentence, isKept] of Object.entries(promises[name]!)) {
        expect(said).toContain(sentence);
        await isKept(ran);
      }
      const isNew = questions.get('What is new?');
      if (isNew === undefined) return;
      await trawler('run', flow, '--out', out, '--update');
      expect(await answersOf(isNew)).toEqual([]); // nothing has moved since
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
