import { describe, expect, it } from 'vitest';
import { renderSummary } from '../../src/cli/renderSummary.ts';
import type { FlowSummary } from '../../src/flow/index.ts';
import { stageProgress } from '../flow/report/stageProgress.ts';

const summary: FlowSummary = {
  type: 'summary',
  name: 'coffee',
  digest: 'd',
  outDir: '/tmp/out',
  outcome: 'complete',
  already: false,
  startedAt: 0,
  endedAt: 12_300,
  requests: 1234,
  retries: 2,
  throttled: 3,
  failedAttempts: [{ because: 'HTTP 429', count: 3, lostMs: 10 }],
  stages: [stageProgress('places', { done: 10 })],
  files: [{ path: 'places.csv', rows: 980, bytes: 412_331, sha256: 'a' }],
};
const render = (changes: Partial<FlowSummary>, others: readonly string[] = []): string =>
  renderSummary({ ...summary, ...changes }, { outDir: 'out', command: 'trawler run c.json', others });

describe('renderSummary', () => {
  it('says how the run ended and where its files are', () => {
    expect(render({}, ['datapackage.json', 'report.html'])).toBe(
      [
        'coffee: done after 12 s; 1,234 requests, 2 of them retries, 3 × 429',
        '',
        'FILE            ROWS  SIZE',
        'out/places.csv   980  412 kB',
        '',
        'out/datapackage.json',
        'out/report.html',
        '',
      ].join('\n'),
    );
  });

  it('begins with what was asked for, where that is a table', () => {
    const rows = [
      ['tea', '2026-05-01T10:08:00.000Z', '3'],
      ['x'.repeat(50), '2026-05-02T10:08:00.000Z', '12'],
    ];
    const table = { title: 'ranks.csv', columns: ['word', 'at', 'rank'], figures: 1, rows, more: 2 };
    expect(render({ tables: [table, { ...table, title: 'none.csv: no rows', rows: [], more: 0 }] })).toMatch(
      new RegExp(
        `^ranks.csv\n${'word'.padEnd(40)}  at                rank\n${'tea'.padEnd(40)}  2026-05-01 10:08  3\n` +
          `${'x'.repeat(39)}…  2026-05-02 10:08  12\nand 2 more\n\nnone.csv: no rows\n\ncoffee: done`,
      ),
    );
    const narrow = renderSummary({ ...summary, tables: [table] }, { outDir: 'out', command: 'c', others: [], columns: 50 });
    expect(narrow).toContain(`\n${'x'.repeat(19)}…  2026-05-02 10:08  12\n`);
  });

  it('counts the rows of each table of a database', () => {
    const stages = [stageProgress('places', { rows: 38, to: ['all.duckdb'] }), stageProgress('reviews', { rows: 327, to: ['all.duckdb'] })];
    const files = [{ path: 'all.duckdb', rows: 365, bytes: 1_323_008, sha256: 'a' }];
    expect(render({ stages, files })).toContain(
      'FILE            ROWS  SIZE\nout/all.duckdb        1.3 MB\n  places          38\n  reviews        327\n',
    );
  });

  it('breaks lines between words on a terminal, and gives a command that is too long a line of its own', () => {
    const stages = [stageProgress('places', { failed: 2, capped: 1, limits: ['pages: 5'], to: ['places.csv'] })];
    const shown = renderSummary({ ...summary, outcome: 'failed', stages }, { outDir: 'out', command: 'trawler run c.json', others: [], columns: 44 }); // prettier-ignore
    expect(shown).toContain(
      '\n2 queries failed. Retry:\n  trawler run c.json --failures\nplaces: 1 query was capped by pages: 5.\nRaise it for the rest.\n',
    );
  });

  it('counts one request in the singular', () => {
    expect(render({ requests: 1, retries: 0, failedAttempts: [] })).toContain('coffee: done after 12 s; 1 request\n');
  });

  it('says what fell short and what to type next', () => {
    const stages = [stageProgress('places', { failed: 2, capped: 1, limits: ['pages: 5'], to: ['places.csv'] })];
    expect(render({ outcome: 'failed', stages })).toContain(
      '2 queries failed. Retry: trawler run c.json --failures\nplaces: 1 query was capped by pages: 5. Raise it for the rest.\n',
    );
    const stopped = render({ outcome: 'interrupted', because: 'the disk is full\u001b', files: [{ path: 'a.csv', rows: 1, bytes: 1 }] });
    expect(stopped).toContain('interrupted after 12 s');
    expect(stopped).toContain('\nThe disk is full\\u001b. Resume: trawler run c.json\n');
    expect(stopped).toContain('out/a.csv.part');
    expect(render({ outcome: 'interrupted', because: 'the budget of maxRequests is used up' })).toContain(
      'The budget of --max-requests is used up. Resume: trawler run c.json',
    );
    expect(render({ outcome: 'interrupted', because: 'it was stopped' })).toContain('× 429\nResume: trawler run c.json\n');
    expect(render({ already: true, because: 'x' })).toMatch(
      /^coffee: finished earlier; .*\nBring it up to date: trawler run c\.json --update\nStart over: trawler run c\.json --fresh\n/,
    );
    expect(render({ already: true, update: true })).toContain('\nFinish the update: trawler run c.json --update\n');
    expect(render({ outcome: 'interrupted', update: true, because: 'it was stopped' })).toContain(
      '\nResume: trawler run c.json --update\n',
    );
  });
});
