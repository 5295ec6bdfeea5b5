import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { postgresBin, startPostgres } from './startPostgres.ts';

const example = fileURLToPath(new URL('../examples/postgres.mjs', import.meta.url));

describe.skipIf(postgresBin === undefined)('examples/postgres.mjs', () => {
  it('puts rows into a real PostgreSQL, and the same ones again', async () => {
    const promised = /\/\* prints\n([\s\S]*?)\n\*\//.exec(await readFile(example, 'utf8'))![1];
    const postgres = await startPostgres();
    try {
      const { hostname, port, username } = new URL(postgres.url);
      const env = { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: 'postgres', PATH: `${postgresBin}:${process.env['PATH']}` }; // prettier-ignore
      for (const _ of [1, 2]) {
        const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
        expect(stdout.trim()).toBe(promised);
      }
      expect(await postgres.psql('SELECT count(*) > 0, count(rating) = count(*) FROM reviews;')).toBe('t|t\n');
    } finally {
      await postgres.close();
    }
  });
});
