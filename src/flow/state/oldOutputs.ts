import type { FlowFolder } from './FlowFolder.ts';
import { Journal } from './Journal.ts';

/** The files of the run that is in a folder, whatever flow it was of; none where there is no journal. */
export async function oldOutputs(folder: FlowFolder): Promise<readonly string[]> {
  if (folder.fileSystem.stat(folder.journal) === undefined) return [];
  const journal = Journal.open(folder.journal, folder.fileSystem);
  let outputs: readonly string[] = [];
  try {
    await journal.replay((record) => {
      if (record.type === 'flow') outputs = record.outputs;
    });
  } finally {
    journal.close();
  }
  return outputs;
}
