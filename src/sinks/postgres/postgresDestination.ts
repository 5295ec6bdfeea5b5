import type { DestinationTable, RowDestination } from '../destination/RowDestination.ts';
import type { PostgresAddress } from './PostgresConnection.ts';
import type { PostgresLoad } from './PostgresLoad.ts';

/**
 * Tables of a PostgreSQL as a destination. Each batch of rows is copied and merged in one transaction, which also stores in the table
 * `trawler_loads` how far the run is.
 *
 * ```ts
 * runFlow(flow, { client, outDir: 'out', destinations: { postgres: postgresDestination(process.env.DATABASE_URL) } })
 * ```
 *
 * @param address A URL, or a pool of the package `pg`. Left out: DATABASE_URL, else PGHOST, PGUSER ….
 */
export function postgresDestination(address?: PostgresAddress): RowDestination {
  const loadInto = async (target: DestinationTable): Promise<PostgresLoad> =>
    new (await import('./PostgresLoad.ts')).PostgresLoad(address, target); // loaded only when it is needed
  return {
    open: loadInto,
    async check(target) {
      const load = await loadInto(target);
      try {
        await load.check();
      } finally {
        await load.close();
      }
    },
  };
}
