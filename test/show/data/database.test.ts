import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTo, createDatabase, lockTo, interruptAfter } from '../../../src/show/data/database.ts';

describe('lockTo', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trawler-database-'));
    for (const name of ['own.csv', 'other.csv']) writeFileSync(join(folder, name), 'a\n1\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('leaves one file that queries can open, and settings that nobody changes', async () => {
    const at = (name: string): string => join(folder, name).replaceAll('\\', '/');
    const database = await createDatabase();
    try {
      const connection = await connectTo(database);
      await lockTo(connection, join(folder, 'own.csv'));
      const statements = [
        `SELECT * FROM read_csv('${at('own.csv')}')`,
        `SELECT * FROM read_csv('${at('other.csv')}')`,
        `COPY (SELECT 1) TO '${at('new.csv')}'`,
        'SET enable_external_access = true',
        `SET allowed_paths = ['${at('other.csv')}']`,
        "SET memory_limit = '1TB'",
        `ATTACH '${at('new.duckdb')}'`,
      ];
      const ends: string[] = [];
      for (const statement of statements) {
        const end = await connection.run(statement).then(
          () => 'fine',
          (error: unknown) => /disabled|locked/.exec(String(error))?.[0] ?? String(error),
        );
        ends.push(end);
      }
      expect(ends).toEqual(['fine', 'disabled', 'disabled', 'locked', 'locked', 'locked', 'disabled']);
    } finally {
      database.closeSync();
    }
  });
});

describe('interruptAfter', () => {
  it('interrupts a query that takes longer', async () => {
    const database = await createDatabase();
    try {
      const connection = await connectTo(database);
      const endless = (): Promise<unknown> =>
        connection.run('SELECT sum(one.range * two.range) FROM range(10000000) one, range(10000000) two');
      await expect(interruptAfter(50, connection, endless)).rejects.toThrow('INTERRUPT');
      expect(await interruptAfter(60_000, connection, async () => (await connection.runAndReadAll('SELECT 1')).getRowsJS())).toEqual([[1]]);
    } finally {
      database.closeSync();
    }
  });
});
