import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { from, lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileFormats, fileKindOf, formatNames, holdsRows } from '../../src/sinks/formats/fileFormats.ts';
import { endingsInWords, loadStatement, toFile } from '../../src/sinks/index.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'trawler-formats-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const all = formatNames.map((name) => fileFormats[name]);
const endings = all.flatMap((format) => format.endings);

describe('fileFormats', () => {
  it('have endings and media types that no other has', () => {
    expect(new Set(endings).size).toBe(endings.length);
    expect(endings.filter((one) => endings.some((other) => other !== one && other.endsWith(one)))).toEqual([]);
    expect(new Set(all.map(({ mediaType }) => mediaType)).size).toBe(all.length);
    for (const ending of endings) expect(endingsInWords()).toContain(ending);
  });

  it.each(endings)('are found by the ending of a name and written: %s', async (ending) => {
    const path = join(folder, `rows${ending.toUpperCase()}`);
    expect(fileFormats[fileKindOf(path)!.format].endings).toContain(ending);
    const { rows, bytes } = await lastValueFrom(from([{ id: 1 }, { id: 2 }]).pipe(toFile(path)));
    expect([rows, bytes]).toEqual([2, statSync(path).size]);
  });

  it.each(endings)('are packed if they are text: %s', (ending) => {
    const { text } = fileKindOf(`rows${ending}`)!;
    expect(fileKindOf(`rows${ending}.gz`)?.compression).toBe(text ? 'gzip' : undefined);
    expect(fileKindOf(`rows${ending}.zst`)?.compression).toBe(text ? 'zstd' : undefined);
  });

  it.each(formatNames)('are loaded by SQL, or it says that they are not: %s', (name) => {
    const path = `rows${fileFormats[name].endings[0]}`;
    const columns = [{ header: 'id', keys: ['id'], type: 'integer' }] as const;
    for (const database of ['postgres', 'duckdb', 'sqlite'] as const) {
      const sql = loadStatement(database, { path, table: 'rows', columns });
      expect(sql).toMatch(fileFormats[name].load[database] === undefined ? /^-- .*doesn't read/ : /CREATE (OR REPLACE |TEMP )?TABLE/);
    }
  });

  it('tell which files have rows with all their fields', () => {
    expect(['a.jsonl', 'a.ndjson.gz', 'a.csv', 'a.sqlite', 'a'].map(holdsRows)).toEqual([true, true, false, false, false]);
  });
});
