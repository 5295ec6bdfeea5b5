import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { checkFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { failWith, fakeClient } from '../../src/testing/index.ts';

const shop = defineService({
  name: 'shop',
  operations: {
    offers: defineOperation({
      get: '/offers',
      params: { q: { type: 'string', about: 'words' } },
      response: { rows: [{ link: 'string', rank: 'integer', price: { value: 'number' }, title: 'string' }] },
      rows: 'rows',
    }),
  },
});

type Offer = readonly [link: string, rank: number, price: number];
interface Offered {
  readonly [field: string]: unknown;
  readonly change: string;
  readonly link: string;
  readonly row: Offered;
}

const flow: FlowDefinition = {
  name: 'series',
  service: shop,
  stages: {
    offers: {
      call: 'offers',
      with: { q: 'tea' },
      until: { link: { domain: 'ours.com' } },
      by: 'link',
      seen: 'series',
      gone: 'drop',
      to: ['offers.jsonl', 'offers.csv'],
    },
  },
};

const { until: _, ...plain } = flow.stages['offers']!;

/** Runs the flow once for each day, in one folder. undefined: the query fails. */
async function days(
  definition: FlowDefinition,
  ...all: readonly (readonly Offer[] | undefined | 'retry')[]
): Promise<{
  readonly summary: FlowSummary;
  readonly linesOf: (name: string) => readonly Offered[];
  readonly text: (name: string) => string;
  readonly changes: readonly Offered[];
}> {
  const fileSystem = new MemoryFileSystem();
  let summary: FlowSummary | undefined;
  let last: readonly Offer[] | undefined;
  for (const [day, offers] of all.entries()) {
    if (offers !== 'retry') last = offers;
    const served = offers === 'retry' ? (all.slice(0, day).findLast((one) => Array.isArray(one)) as readonly Offer[]) : last;
    const { client } = fakeClient(shop, () => {
      if (served === undefined) throw failWith(400);
      return { rows: served.map(([link, rank, value]) => ({ link, rank, price: { value }, title: link })) };
    });
    const mode = offers === 'retry' ? { failures: true } : { update: day > 0 };
    summary = (await lastValueFrom(runFlow(definition, { client, outDir: '/out', fileSystem, ...mode }))) as FlowSummary;
    await client.close();
    await new Promise((resolve) => void setTimeout(resolve, 5)); // no two runs begin in the same millisecond
  }
  const text = (name: string): string => fileSystem.disk.read(`/out/${name}`)?.toString() ?? '';
  const linesOf = (name: string): readonly Offered[] => text(name).split('\n').filter(Boolean).map((line) => JSON.parse(line) as Offered); // prettier-ignore
  const changes = summary!.changes?.flatMap(({ file }) => linesOf(file)) ?? [];
  return { summary: summary!, linesOf, text, changes };
}

const day1: readonly Offer[] = [['https://a.com/', 1, 10], ['https://b.com/', 2, 20], ['https://ours.com/x', 3, 30]]; // prettier-ignore
const day2: readonly Offer[] = [['https://b.com/', 1, 20], ['https://ours.com/x', 2, 25], ['https://c.com/', 3, 40]]; // prettier-ignore
const day3: readonly Offer[] = [['https://b.com/', 1, 21], ['https://c.com/', 2, 40]]; // prettier-ignore

describe('a series', () => {
  const both: FlowDefinition = { ...flow, stages: { offers: plain } };

  it('has the rows of all runs in one table, and says what is new, gone, rose and fell since the last', async () => {
    const { linesOf, text, changes, summary } = await days(both, day1, day2, day3);
    const rows = linesOf('offers.jsonl');
    expect(rows).toHaveLength(8);
    const times = [...new Set(rows.map(({ seen_at }) => seen_at as string))].sort();
    expect(times).toHaveLength(3);
    expect(times.map((time) => rows.filter(({ seen_at }) => seen_at === time).map(({ link, rank }) => [link, rank]))).toEqual(
      [day1, day2, day3].map((day) => day.map(([link, rank]) => [link, rank])),
    );
    expect(text('offers.csv').split('\n')[0]).toMatch(/,seen_at$/);
    expect(text('offers.csv').trimEnd().split('\n')).toHaveLength(9);
    expect(changes.map(({ change, field, was, is, row }) => [change, row.link, field, was, is])).toEqual([
      ['rose', 'https://b.com/', 'price.value', 20, 21],
      ['gone', 'https://ours.com/x', undefined, undefined, undefined],
      ['rose', 'https://c.com/', 'rank', 3, 2],
    ]);
    expect(summary.changes).toMatchObject([{ new: 0, changed: 2, gone: 1, rose: 1, fell: 0, up: 1, down: 0, rows: 2, all: 8 }]);
    const second = await days(both, day1, day2);
    expect(second.changes.map(({ change, row, field }) => `${change} ${row.link} ${String(field)}`)).toEqual([
      'gone https://a.com/ undefined',
      'rose https://b.com/ rank',
      'rose https://ours.com/x rank',
      'fell https://ours.com/x price.value',
      'new https://c.com/ undefined',
    ]);
  });

  it('has the rank of what is looked for in each run', async () => {
    const { linesOf } = await days(flow, day1, day2, day3);
    const ranks = linesOf('offers.jsonl').filter(({ page }) => page !== undefined);
    expect(ranks.map(({ link, rank, page }) => [link, rank, page])).toEqual([
      ['https://ours.com/x', 2, 1],
      ['https://ours.com/x', 3, 1],
    ]);
    expect(linesOf('empty.jsonl')).toMatchObject([{ stage: 'offers', query: { q: 'tea' }, rows: 2 }]);
  });

  it('is completed by a retry: its rows are of the run that it retries', async () => {
    const { linesOf, changes } = await days(both, day1, undefined, 'retry');
    const times = linesOf('offers.jsonl').map(({ seen_at }) => seen_at as string);
    expect(times).toHaveLength(6);
    expect(new Set(times).size).toBe(2);
    expect(changes).toEqual([]);
    const [, second] = [...new Set(times)].sort();
    expect(linesOf('failures.jsonl')).toEqual([]);
    expect((await days(both, day1, undefined, 'retry', day2)).linesOf('offers.jsonl')).toHaveLength(9);
    expect(second).toBeDefined();
  });

  it('needs what identifies a row, and has no since', () => {
    const faultOf = (more: object): string | undefined =>
      checkFlow({ ...both, stages: { offers: { ...plain, ...more } } }).map(({ message }) => message).join('; '); // prettier-ignore
    expect(faultOf({})).toBe('');
    expect(faultOf({ by: undefined })).toContain("name the field that identifies a row with 'by'");
    expect(faultOf({ pick: ['title'] })).toContain("pick 'link', too: it identifies a row");
    expect(faultOf({ since: { field: 'price.value' } })).toContain('makes no series');
  });

  it('tells by the SQL of the guide in which share of the runs each row was', async () => {
    const guide = readFileSync(new URL('../../docs/fresh.md', import.meta.url), 'utf8');
    const [, sql] = /```sql\n(SELECT question, link[^`]+)```/.exec(guide)!;
    const cited = (...links: readonly string[]): readonly Offer[] => links.map((link, at) => [link, at, 1]);
    const { with: __, ...stage } = plain;
    const questions: FlowDefinition = {
      ...flow,
      stages: {
        offers: { ...stage, with: { q: ['tea', 'cake'] }, keep: { question: '$query.q' }, by: ['question', 'link'], to: 'offers.jsonl' },
      },
    };
    const { text } = await days(questions, cited('a', 'b'), cited('a'), cited('c', 'a'));
    const folder = await mkdtemp(join(tmpdir(), 'trawler-series-'));
    try {
      await writeFile(join(folder, 'citations.jsonl'), text('offers.jsonl'));
      const database = await (await DuckDBInstance.create()).connect();
      const read = await database.runAndReadAll(sql!.replaceAll("'citations.jsonl'", `'${join(folder, 'citations.jsonl')}'`));
      expect(read.getRowsJson().slice(0, 3)).toEqual([
        ['cake', 'a', '3', '3', 1],
        ['cake', 'b', '1', '3', 0.33],
        ['cake', 'c', '1', '3', 0.33],
      ]);
      database.closeSync();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
