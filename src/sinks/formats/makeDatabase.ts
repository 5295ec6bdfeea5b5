import { dirname } from 'node:path';
import { hashFile } from '../../files/blocks.ts';
import type { RowDestination } from '../destination/RowDestination.ts';
import type { ValueFit } from '../table/ValueFit.ts';
import type { MadeFormat } from './FileFormat.ts';

/** Makes a file with a library that opens files by itself, and waits until it is safe on disk. */
export function makeDatabase(destinationAt: (path: string, fit: ValueFit) => RowDestination): MadeFormat['make'] {
  return async (draft, fit, load, { fileSystem, mode, total }) => {
    await fileSystem.build(draft, mode, (path) => load(destinationAt(path, fit)));
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
