import { describe, expect, it } from 'vitest';
import { postgresDestination } from '../../../src/sinks/postgres/postgresDestination.ts';
import { withoutPackage } from '../../withoutPackage.ts';

describe('PostgresConnection', () => {
  it.each(['pg', 'pg-copy-streams'])('names what to install when %s is missing', (missing) =>
    withoutPackage(missing, async () => {
      await expect(
        postgresDestination('postgresql://u:hush@127.0.0.1/x').check!({ name: 'rows', columns: [], key: [] } as never),
      ).rejects.toMatchObject({
        name: 'SinkError',
        message: 'postgres:rows: PostgreSQL needs two more packages: npm install pg pg-copy-streams',
      });
    }),
  );
});
