import { describe, expect, it } from 'vitest';
import { describeFirst, escapeHtml, formatBytes, formatCount, formatDuration } from '../../../src/flow/report/format.ts';
import { previewTable } from '../../../src/flow/report/previewTable.ts';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [9949, '9.9 kB'],
    [412_331, '412 kB'],
    [999_600, '1.0 MB'],
    [38_412_331, '38 MB'],
    [5e12, '5.0 TB'],
    [5e15, '5000 TB'],
  ])('of %i is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [850.4, '850 ms'],
    [4200, '4.2 s'],
    [9960, '10 s'],
    [59_940, '60 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [7_200_000, '2 h'],
    [273_600_000, '3 d 4 h'],
    [259_200_000, '3 d'],
  ])('of %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('formatCount', () => {
  it('has thousands, and a decimal for what is small', () => {
    expect([0, 2.54, 12.6, 1234.5, 1e9].map(formatCount)).toEqual(['0', '2.5', '13', '1,235', '1,000,000,000']);
  });
});

describe('escapeHtml', () => {
  it('escapes markup and quotes, and spells out invisible characters', () => {
    expect(escapeHtml(`<a b="c" d='e'>&`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
    expect(escapeHtml('\u0000\u001b\u202e\ud800\ufeff👍\n')).toBe('\\u0000\\u001b\\u202e\\ud800\\ufeff👍\n');
  });
});

describe('previewTable', () => {
  it('shows text as it is, anything else as JSON, and nothing for what is missing', () => {
    const table = previewTable({
      columns: ['a', 'b', 'c'],
      rows: [
        ['', null, { d: [1] }],
        [undefined, 2, 'x'],
      ],
    });
    expect(table.match(/<th /g)).toHaveLength(3);
    expect(table.match(/<td><\/td>/g)).toHaveLength(3);
    expect(table).toContain('{&quot;d&quot;:[1]}');
  });

  it('limits width and length', () => {
    const columns = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const table = previewTable({ columns, rows: [columns.map(() => '👍'.repeat(1000))] });
    expect(table).toContain('40 more columns');
    expect(table.length).toBeLessThan(60_000);
    expect(table).not.toContain('\\ud83d');
  });
});

describe('describeFirst', () => {
  it.each([
    [{ queries: 20, of: 1200, requests: 310, all: 18_600 }, '20 of 1,200 first queries took 310 requests; all would take about 18,600'],
    [{ queries: 1, of: 1, requests: 1, all: 1 }, '1 of 1 first query took 1 request; all would take about 1'],
    [{ queries: 20, requests: 310 }, '20 first queries took 310 requests'],
  ])('of %j', (first, text) => expect(describeFirst(first)).toBe(text));
});
