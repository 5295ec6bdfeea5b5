import type { FileSystem } from '../../sinks/index.ts';
import { Journal } from './Journal.ts';
import type { JournalRecord } from './JournalRecord.ts';

export interface OldFlow extends Extract<JournalRecord, { readonly type: 'flow' }> {
  /** Pages so far. */
  readonly pages: number;
}

/** What a journal says of its flow, whatever flow that was; undefined where there is no journal. */
export async function oldFlow(path: string, fileSystem: FileSystem): Promise<OldFlow | undefined> {
  if (fileSystem.stat(path) === undefined) return undefined;
  const journal = Journal.open(path, fileSystem);
  let old: Omit<OldFlow, 'pages'> | undefined;
  let pages = 0;
  try {
    await journal.replay((record) => {
      if (record.type === 'flow') old = record;
      if (record.type === 'commit') pages += record.steps.filter(({ kind }) => kind === 'page').length;
    });
  } finally {
    journal.close();
  }
  return old && { ...old, pages };
}
