import type { DestinationTable, OpenDestination } from '../destination/RowDestination.ts';
import { type Connection, connectPostgres, errorAt, type PostgresAddress } from './connectPostgres.ts';
import { PostgresLoad } from './PostgresLoad.ts';
import { checkSchema, checkTable, prepareTable } from './prepareTable.ts';
import { postgresTable } from './postgresTable.ts';

/** Fails if a table can't take the rows. Writes nothing. */
export async function checkPostgres(address: PostgresAddress, target: DestinationTable): Promise<void> {
  const connection = await connectTo(address, target);
  try {
    const table = postgresTable(target);
    await checkSchema(connection.client, table);
    if (target.mode === 'merge') await checkTable(connection.client, table, table.name);
  } catch (error) {
    throw errorAt(target.name, error);
  } finally {
    await connection.close();
  }
}

/** Connects, makes the table ready, and ends what an earlier process of the same run left behind. */
export async function openPostgres(address: PostgresAddress, target: DestinationTable): Promise<OpenDestination> {
  const connection = await connectTo(address, target);
  const table = postgresTable(target);
  try {
    // A session that this run left behind may still hold what it was loading.
    const name = `trawler ${target.run} ${target.stage}`.slice(0, 63);
    await connection.client.query("SELECT set_config('application_name', $1, false)", [name]);
    const stale = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()';
    await connection.client.query(stale, [name]);
    await prepareTable(connection.client, table);
    return new PostgresLoad(connection, target, table);
  } catch (error) {
    await connection.close();
    throw errorAt(target.name, error);
  }
}

function connectTo(address: PostgresAddress, { name }: DestinationTable): Promise<Connection> {
  return connectPostgres(address).catch((error: unknown) => {
    throw errorAt(name, error);
  });
}
