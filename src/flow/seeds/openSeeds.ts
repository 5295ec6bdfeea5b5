import { basename } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { nodeFileSystem, type OpenFile } from '../../sinks/index.ts';

/**
 * Opens a file of seeds. Throws a FlowError for anything else: opening a named pipe would wait until somebody writes to it.
 * It can also be read only once, but seeds are read for the check of a flow and again for each run.
 */
export function openSeeds(path: string): OpenFile {
  const { kind } = nodeFileSystem.stat(path) ?? {};
  if (kind === 'folder') throw new FlowError(`${basename(path)} is a folder`);
  if (kind === 'other')
    throw new FlowError(
      `${basename(path)} is a pipe or a device, and seeds are read more than once. Write '-' and pipe them to standard input, or save them as a file`,
    );
  return nodeFileSystem.open(path, 'r');
}
