import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectTo, createDatabase, lockTo } from '../../../src/show/data/database.ts';

describe('lockTo', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trawler-database-'));
    for (const name of ['own.csv', 'other.csv']) writeFileSync(join(folder, name), 'a\n1\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['one file', 'own.csv', ['fine', 'disabled', 'disabled', 'locked', 'locked']],
    ['no file', undefined, ['disabled', 'disabled', 'disabled', 'locked', 'locked']],
  ])('leaves %s that queries can open, and settings that nobody changes', async (_, own, expected) => {
    const at = (name: string): string => join(folder, name).replaceAll('\\', '/');
    const database = await createDatabase();
    try {
      const connection = await connectTo(database);
      await lockTo(connection, own && join(folder, own));
      const statements = [
        `SELECT * FROM read_csv('${at('own.csv')}')`,
        `SELECT * FROM read_csv('${at('other.csv')}')`,
        `COPY (SELECT 1) TO '${at('new.csv')}'`,
        'SET enable_external_access = true',
        `SET allowed_paths = ['${at('other.csv')}']`,
      ];
      const ends: string[] = [];
      for (const statement of statements) {
        const end = await connection.run(statement).then(
          () => 'fine',
          (error: unknown) => /disabled|locked/.exec(String(error))?.[0] ?? String(error),
        );
        ends.push(end);
      }
      expect(ends).toEqual(expected);
    } finally {
      database.closeSync();
    }
  });
});
