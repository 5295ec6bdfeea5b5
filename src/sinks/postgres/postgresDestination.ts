import type { RowDestination } from '../destination/RowDestination.ts';
import type { PostgresAddress } from './connectPostgres.ts';

/**
 * Tables of a PostgreSQL as a destination. Rows are copied and merged in one transaction, in which `trawler_loads` also says how
 * far the run is.
 *
 * ```ts
 * runFlow(flow, { client, outDir: 'out', destinations: { postgres: postgresDestination(process.env.DATABASE_URL) } })
 * ```
 *
 * @param address A URL, or a pool of the package `pg`. Left out: DATABASE_URL, else PGHOST, PGUSER ….
 */
export function postgresDestination(address?: PostgresAddress): RowDestination {
  const loaded = (): Promise<typeof import('./openPostgres.ts')> => import('./openPostgres.ts'); // only where rows go to PostgreSQL
  return {
    check: async (target) => (await loaded()).checkPostgres(address, target),
    open: async (target) => (await loaded()).openPostgres(address, target),
  };
}
