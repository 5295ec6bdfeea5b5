import type { FlowFolder } from './FlowFolder.ts';
import { Journal } from './Journal.ts';
import type { JournalRecord } from './JournalRecord.ts';

export type OldFlow = Extract<JournalRecord, { readonly type: 'flow' }>;

/** What the journal in a folder says of its flow, whatever flow that was; undefined where there is no journal. */
export async function oldFlow(folder: FlowFolder): Promise<OldFlow | undefined> {
  if (folder.fileSystem.stat(folder.journal) === undefined) return undefined;
  const journal = Journal.open(folder.journal, folder.fileSystem);
  let old: OldFlow | undefined;
  try {
    await journal.replay((record) => {
      if (record.type === 'flow') old = record;
    });
  } finally {
    journal.close();
  }
  return old;
}
