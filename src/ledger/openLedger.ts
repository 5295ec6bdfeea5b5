import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import { FileLedger } from './FileLedger.ts';
import type { SpendLedger } from './SpendLedger.ts';

/** Opens the ledger at a path, or at the address of a PostgreSQL. Nothing is read or connected before it is used. */
export async function openLedger(at: string, fileSystem: FileSystem = nodeFileSystem): Promise<SpendLedger> {
  if (!/^postgres(ql)?:\/\//.test(at)) return new FileLedger(at, fileSystem);
  const { PostgresLedger } = await import('./PostgresLedger.ts');
  return new PostgresLedger(at);
}
