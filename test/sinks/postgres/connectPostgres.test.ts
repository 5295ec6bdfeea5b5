import { describe, expect, it, vi } from 'vitest';

describe('connectPostgres', () => {
  it.each(['pg', 'pg-copy-streams'])('names what to install when %s is missing', async (missing) => {
    vi.resetModules();
    vi.doMock('node:module', () => ({
      createRequire: () => ({
        resolve(name: string) {
          if (name === missing) throw new Error('not found');
          return name;
        },
      }),
    }));
    try {
      const { postgresDestination } = await import('../../../src/sinks/postgres/postgresDestination.ts');
      await expect(postgresDestination('postgresql://u:hush@127.0.0.1/x').check!({ name: 'rows' } as never)).rejects.toMatchObject({
        name: 'SinkError',
        message: 'postgres:rows: PostgreSQL needs two more packages: npm install pg pg-copy-streams',
      });
    } finally {
      vi.doUnmock('node:module');
      vi.resetModules();
    }
  });
});
