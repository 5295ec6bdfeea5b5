import { dirname } from 'node:path';
import { hashFile } from '../../files/blocks.ts';
import type { NamedTable } from '../table/readTable.ts';
import type { MadeFormat } from './FileFormat.ts';

/** Makes a file with a library that opens files by itself, and waits until it is safe on disk. */
export function makeDatabase(write: (path: string, tables: readonly NamedTable[]) => Promise<void>): MadeFormat['make'] {
  return async (draft, tables, { fileSystem, mode, total }) => {
    await fileSystem.build(draft, mode, (path) => write(path, tables));
    const file = fileSystem.open(draft, 'r+');
    try {
      await file.datasync();
    } finally {
      file.close();
    }
    await fileSystem.syncFolder(dirname(draft));
    return hashFile(draft, fileSystem, total);
  };
}
