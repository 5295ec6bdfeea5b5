import type { FileSystem } from '../files/FileSystem.ts';
import { nodeFileSystem } from '../files/nodeFileSystem.ts';
import type { LedgerEntry } from './Balance.ts';
import { FileLedger, repairFile, type LedgerRepair } from './FileLedger.ts';
import type { SpendLedger } from './SpendLedger.ts';

export const isFileLedger = (at: string): boolean => !/^postgres(ql)?:\/\//.test(at);

/** Opens the ledger at a path, or at the address of a PostgreSQL. It reads the file, or connects, when it is first used. */
export async function openLedger(at: string, fileSystem: FileSystem = nodeFileSystem): Promise<SpendLedger> {
  if (isFileLedger(at)) return new FileLedger(at, fileSystem);
  const { PostgresLedger } = await import('./PostgresLedger.ts');
  return new PostgresLedger(at);
}

/** Repairs a damaged ledger in a file, as far as possible. */
export function repairLedger(path: string, writer: Pick<LedgerEntry, 'id' | 'at' | 'who'>): Promise<LedgerRepair> {
  return repairFile(path, writer, nodeFileSystem);
}
