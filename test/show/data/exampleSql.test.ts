import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { exampleSql } from '../../../src/show/data/exampleSql.ts';

it.each(['order', 'group', 'a b', 'say "hi"', 'title', 'rows'])(
  'has an example query that runs where the table and its first column are called %s',
  async (name) => {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const quoted = `"${name.replaceAll('"', '""')}"`;
    await connection.run(`CREATE TABLE ${quoted} AS SELECT * FROM (VALUES ('b'), ('a'), ('a')) made(${quoted})`);
    const reader = await connection.runAndReadAll(exampleSql(name, name));
    expect(reader.getRowsJS()).toEqual([
      ['a', 2n],
      ['b', 1n],
    ]);
    connection.closeSync();
    instance.closeSync();
  },
);
