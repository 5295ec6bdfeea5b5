import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFlow, type FlowDefinition, type FlowSummary, runFlow } from '../../../src/flow/index.ts';
import { compileFlow } from '../../../src/flow/definition/compileFlow.ts';
import { numberIn, readHeadlines } from '../../../src/flow/report/readHeadlines.ts';
import { defineOperation, defineService } from '../../../src/index.ts';
import { nodeFileSystem } from '../../../src/sinks/index.ts';
import { fakeClient } from '../../../src/testing/index.ts';

const shop = defineService({
  name: 'shop',
  operations: {
    search: defineOperation({
      get: '/search',
      params: { q: { type: 'string', about: 'a word' } },
      response: { rows: [{ site: 'string', price: 'string', rank: 'number', 'at?': { lat: 'number', lon: 'number' } }] },
      rows: 'rows',
      id: 'site',
    }),
  },
});

const rows = {
  tea: [{ site: 'a.com', price: '440 USD', rank: 3 }, { site: 'b.com', price: '$1,234.50', rank: 1 }],
  milk: [{ site: 'a.com', price: '80', rank: 7 }],
}; // prettier-ignore
const later = { tea: [{ site: 'a.com', price: '400 USD', rank: 1 }], milk: [{ site: 'a.com', price: '80', rank: 9 }, { site: 'c.com', price: '5', rank: 12 }] }; // prettier-ignore

const flow = {
  name: 'shop',
  headline: [
    { table: 'rows.csv', of: 'rank', each: ['word', 'site'] },
    { table: 'rows.csv', title: 'Share of words', each: 'site', share: 'word' },
    { table: 'rows.csv', average: 'price', each: 'site' },
  ],
  stages: {
    rows: {
      call: 'search',
      with: { q: ['tea', 'milk'] },
      keep: { word: '$query.q' },
      by: ['word', 'site'],
      seen: 'series',
      to: 'rows.csv',
    },
  },
} as const satisfies FlowDefinition;

describe('readHeadlines', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-headlines-'));
    for (const [day, update] of [[rows, false], [later, true]] as const) {
      const { client } = fakeClient(shop, ({ query }) => ({ rows: day[String(query['q']) as 'tea' | 'milk'] }));
      await lastValueFrom(runFlow({ ...flow, service: shop }, { client, outDir: folder, update }));
      await client.close();
    }
  }); // prettier-ignore
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const read = (headline: FlowDefinition['headline'] = flow.headline): ReturnType<typeof readHeadlines> => {
    const at = (file: string): string => join(folder, file);
    const none = new Map<never, never>();
    const has = (file: string): boolean => nodeFileSystem.stat(at(file)) !== undefined;
    return readHeadlines(
      compileFlow({ ...flow, headline }, { service: shop }),
      { at, has, fileSystem: nodeFileSystem },
      { empty: none, failed: none, open: none },
    );
  };

  it('shows only the new rows of an update, and none where none is new; a summary has ten lines', async () => {
    const days = [12, 15, 15, 15].map((count) => ({
      rows: Array.from({ length: count }, (_, n) => ({ site: `${n}.com`, price: '1', rank: n })),
    }));
    const own = { name: 'sites', headline: { table: 'sites.csv', each: 'site' }, stages: { sites: { call: 'search', with: { q: 'tea' }, seen: true, to: 'sites.csv' } } } as const; // prettier-ignore
    const outDir = join(folder, 'sites');
    const told: unknown[] = [];
    for (const [day, answer] of days.entries()) {
      const { client } = fakeClient(shop, () => answer);
      const summary = await lastValueFrom(runFlow({ ...own, service: shop }, { client, outDir, ...(day === 0 ? {} : { update: true }) }));
      const [table] = (summary as FlowSummary).tables!;
      told.push([table!.title, table!.rows.length, table!.rows[0], table!.more]);
      await client.close();
    }
    expect(told).toEqual([
      ['sites.csv', 10, ['0.com'], 2],
      ['sites.csv: 3 new rows of 15', 3, ['12.com'], 0],
      ['sites.csv: no row is new', 0, undefined, 0],
      ['sites.csv: no row is new', 0, undefined, 0],
    ]);
  });

  it('shows rows with a time from the latest on, whichever run found them', async () => {
    const own = { name: 'times', headline: { table: 'times.csv', each: ['site', 'price'] }, stages: { times: { call: 'search', with: { q: 'tea' }, seen: true, to: 'times.csv' } } } as const; // prettier-ignore
    const outDir = join(folder, 'times');
    const days = [3, 5, 4, 6].map((day) => ({ site: `${day}.com`, price: `2026-05-0${day}`, rank: day }));
    const told: unknown[] = [];
    for (const shown of [days.slice(0, 2), days]) {
      const { client } = fakeClient(shop, () => ({ rows: shown }));
      const summary = await lastValueFrom(runFlow({ ...own, service: shop }, { client, outDir, ...(told.length > 0 && { update: true }) }));
      const [table] = (summary as FlowSummary).tables!;
      told.push([table!.title, ...table!.rows.map(([site]) => site)]);
      await client.close();
    }
    expect(told).toEqual([
      ['times.csv', '5.com', '3.com'],
      ['times.csv: 2 new rows of 4', '6.com', '4.com'],
    ]);
  });

  it('says the rank of each line, the best first, and its change since the last run', async () => {
    expect((await read())[0]).toEqual({
      kind: 'table',
      title: 'rows.csv',
      columns: ['word', 'site', 'rank', 'since the run before'],
      figures: 2,
      rows: [
        ['tea', 'a.com', '1', 'up 2'],
        ['milk', 'a.com', '9', 'down 2'],
        ['milk', 'c.com', '12', 'new'],
        ['tea', 'b.com', '–', 'gone'],
      ],
      more: 0,
    });
  });

  it('writes money with its decimals', async () => {
    const own = { name: 'money', headline: { table: 'rows.csv', of: 'price', each: 'site' }, stages: { rows: { call: 'search', with: { q: 'tea' }, seen: 'series', to: 'rows.csv' } } } as const; // prettier-ignore
    const outDir = join(folder, 'money');
    let told: unknown;
    for (const [update, first, second] of [[false, '$1,023.45', '$40'], [true, '$1,024.85', '$39.5']] as const) {
      const rows = [{ site: 'a.com', price: first, rank: 1 }, { site: 'b.com', price: second, rank: 2 }]; // prettier-ignore
      const { client } = fakeClient(shop, () => ({ rows }));
      const summary = await lastValueFrom(runFlow({ ...own, service: shop }, { client, outDir, update }));
      told = (summary as FlowSummary).tables![0]!.rows;
      await client.close();
    } // prettier-ignore
    expect(told).toEqual([
      ['a.com', '1,024.85', '+1.40'],
      ['b.com', '39.50', '−0.50'],
    ]);
  });

  it('says in which share of words a line is found in the latest run, and its change', async () => {
    expect((await read())[1]).toMatchObject({
      title: 'Share of words',
      columns: ['site', 'share', 'found in', 'since the run before'],
      rows: [
        ['a.com', '100 %', '2 of 2', 'same'],
        ['c.com', '50 %', '1 of 2', '+50 points'],
        ['b.com', '0 %', '0 of 2', '−50 points'],
      ],
    });
  });

  it('says the average of each line in the latest run, and its change', async () => {
    expect((await read())[2]).toMatchObject({
      columns: ['site', 'average price', 'rows', 'since the run before'],
      rows: [
        ['a.com', '240.0', '2', '−20.0'],
        ['c.com', '5.0', '1', 'new'],
        ['b.com', '–', '0', 'gone'],
      ],
    });
  });

  it('draws the last run of a series over another column, its texts read as numbers', async () => {
    const series = { series: 'rows.csv', of: 'price', each: 'site', over: 'word' } as const;
    expect((await read(series))[0]).toEqual({
      kind: 'series',
      title: 'rows.csv: price by word',
      over: ['milk', 'tea'],
      lines: [
        { name: 'a.com', values: [80, 400] },
        { name: 'c.com', values: [5, null] },
      ],
      more: 0,
    });
    const lowest = { series: 'rows.csv', of: 'price', over: 'seen_at' } as const;
    expect((await read(lowest))[0]).toMatchObject({ title: 'rows.csv: lowest price from run to run', lines: [{ values: [80, 5] }] });
  });

  it.each([
    ['440 USD', 440],
    ['$1,234.50', 1234.5],
    ['1.234,50 €', 1234.5],
    ['1,234', 1234],
    ['1.234', 1.234],
    ['1.234.567', 1_234_567],
    ["CHF 1'200.-", 1200],
    ['-3.5', -3.5],
    ['free', undefined],
  ])('reads %j as %s', (text, number) => {
    expect(numberIn(text)).toBe(number);
  });

  it.each<[FlowDefinition['headline'], string]>([
    [{ of: 'rank' }, 'a headline has one of table, series and map'],
    [{ table: 'rows.csv', map: 'rows.csv' }, 'a headline has one of table, series and map'],
    [{ map: 'rows.csv' }, 'a map needs of'],
    [{ table: 'rows.csv' }, 'a table needs each'],
    [{ table: 'row.csv', each: 'site' }, "no stage writes 'row.csv'; did you mean 'rows.csv'?"],
    [{ table: 'rows.csv', each: 'sit' }, "rows of search have no 'sit'; did you mean 'site'?"],
    [{ table: 'rows.csv', each: 'site', of: 'rank', average: 'price' }, 'average is for a table, instead of of'],
    [{ table: 'rows.csv', each: 'site', average: 'rank', share: 'word' }, 'average is for a table, instead of share'],
    [{ series: 'rows.csv', of: 'rank', average: 'rank' }, 'average is for a table, instead of of'],
    [{ table: 'rows.csv', each: 'site', over: 'word' }, 'over is for a series'],
    [{ map: 'rows.csv', of: 'rank', share: 'word' }, 'share is for a table, instead of of'],
  ])('refuses %j', (headline, message) => {
    const faults = checkFlow({ ...flow, headline }, { service: shop });
    expect(faults.map((fault) => fault.message).join('; ')).toContain(message);
  });
});
