import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { lastValueFrom, map, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { searchService } from '../../src/index.ts';
import { toCsv, toDuckdb, toFile, toJsonl, toParquet, toSqlite } from '../../src/sinks/index.ts';
import { fakeClient } from '../../src/testing/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-pages-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Sink = (rows: Observable<unknown>) => Observable<unknown>;
const sinks: readonly [string, (folder: string) => unknown][] = [
  ['toJsonl', (path) => toJsonl(join(path, 'rows.jsonl'))],
  ['toCsv', (path) => toCsv(join(path, 'rows.csv'))],
  ['toParquet', (path) => toParquet(join(path, 'rows.parquet'))],
  ['toDuckdb', (path) => toDuckdb(join(path, 'rows.duckdb'))],
  ['toSqlite', (path) => toSqlite(join(path, 'rows.sqlite'))],
  ['toFile', (path) => toFile(join(path, 'rows.jsonl.gz'))],
  ['toJsonl', () => toJsonl(new PassThrough())],
];

describe('a sink without items() before it', () => {
  it.each(sinks)('fails in %s, says what to write, and leaves no file', async (name, sink) => {
    const { client } = fakeClient(searchService, () => ({ reviews_results: [{ review_id: 'a', rating: 5 }] }));
    for (const pages$ of [client.mapsReviews({ data_id: 'x' }), client.mapsReviews({ data_id: 'x' }).pipe(map((page) => page))]) {
      const written = lastValueFrom((sink(folder) as Sink)(pages$));
      await expect(written).rejects.toThrow(RangeError);
      await expect(written).rejects.toThrow(
        `${name} takes rows, and got a page of mapsReviews: write items() before it, as in pipe(items(), ${name}(…))`,
      );
    }
    await expect.poll(() => readdirSync(folder)).toEqual([]);
    await client.close();
  });
});
