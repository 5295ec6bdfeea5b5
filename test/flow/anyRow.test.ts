import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { mapsReviews } from '../../src/search/operations/mapsReviews.ts';
import { columnsOf } from '../../src/contract/index.ts';
import { anyText } from '../anyText.ts';
import { fakeClient } from './fakeClient.ts';

const formats = ['a.jsonl', 'a.csv', 'a.tsv', 'a.parquet', 'a.sqlite', 'a.duckdb'];
const flow: FlowDefinition = {
  name: 'rows',
  stages: {
    reviews: { call: 'mapsReviews', with: { data_id: 'x' }, to: formats },
    others: { call: 'mapsPhotos', with: { data_id: 'x' }, to: ['b.csv', 'b.jsonl', 'b.parquet'] },
  },
};

const texts = fc.oneof(
  anyText(),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    'NaN',
    '=1+1',
    '9999-99-99',
    '0000-00-00T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '\\N',
    '\\.',
    'x'.repeat(70_000),
  ),
);
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e308, -1e308, 5e-324, 2 ** 53, -(2 ** 63), 2 ** 64, 1.5),
);
const scalars = fc.oneof(texts, numbers, fc.boolean(), fc.constant(null));
const anything = fc.oneof(
  scalars,
  fc.array(scalars),
  fc.dictionary(texts, scalars),
  fc.constant(nested(200)),
  fc.json().map((text) => JSON.parse(text) as unknown),
);
const names = fc.oneof(
  fc.constantFrom(...columnsOf(mapsReviews).map(({ path }) => path.split('.', 1)[0]!)),
  fc.constantFrom('__proto__', 'constructor', 'toString', '', ' ', '"', "'", 'a.b', 'a\0b', 'Rating', 'RATING', '_extra', '_source'),
  texts,
);
/** A row, or something in its place. */
const rows = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.tuple(names, anything)).map((fields) => Object.fromEntries(fields) as unknown) },
  { weight: 1, arbitrary: anything },
);

function nested(levels: number): unknown {
  return levels === 0 ? 'deep' : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };
}

describe('whatever a row is', () => {
  let folder: string;
  let count = 0;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'trawler-any-row-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('the files of all formats are finished, with every row', { timeout: 3_600_000 }, async () => {
    const numRuns = process.env['TRAWLER_LONG'] === '1' ? 2000 : 4;
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { maxLength: 16 }), async (items) => {
        const outDir = join(folder, String(count++));
        const client = fakeClient(({ operation }) => (operation === 'mapsReviews' ? { reviews_results: items } : { photos: items }));
        const { outcome, files, stages } = (await lastValueFrom(runFlow(flow, { client, outDir }))) as FlowSummary;
        const isObject = (item: unknown): boolean => typeof item === 'object' && item !== null && !Array.isArray(item);
        const written = items.map((item) => (isObject(item) ? item : { value: item }));
        expect(outcome).not.toBe('interrupted');
        expect(files.map(({ sha256 }) => sha256 === undefined)).not.toContain(true);
        expect(stages[0]).toMatchObject({ rows: written.length, failed: 0 });
        expect(stages[0]!.skipped ?? 0).toBe(0);
        const lines = (await readFile(join(outDir, 'a.jsonl'), 'utf8')).split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(written.map((row) => JSON.parse(JSON.stringify(row)) as unknown));
        await rm(outDir, { recursive: true });
      }),
      { numRuns },
    );
  });
});
