import type { FileSystem } from '../../sinks/index.ts';
import { Journal } from './Journal.ts';
import type { JournalRecord } from './JournalRecord.ts';
import { isDeepStrictEqual } from 'node:util';
import type { FlowDefinition } from '../definition/flowFormat.ts';

interface OldFlow extends Extract<JournalRecord, { readonly type: 'flow' }> {
  readonly pages: number;
}

/** The flow that a journal was written for, whichever it is. undefined if there is no journal. */
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

/** The changes of a flow since its last run, in words. */
export function flowChanges(before: FlowDefinition | undefined, now: FlowDefinition): string {
  if (before === undefined) return 'its earlier version was not recorded';
  const changes: string[] = [];
  const { stages: old } = before;
  for (const name of Object.keys(old)) if (!Object.hasOwn(now.stages, name)) changes.push(`stage ${name} is gone`);
  for (const [name, stage] of Object.entries(now.stages)) {
    const was = Object.hasOwn(old, name) ? old[name] : undefined;
    if (was === undefined) {
      changes.push(`stage ${name} is new`);
      continue;
    }
    const keys = [...new Set([...Object.keys(was), ...Object.keys(stage)])] as (keyof typeof stage)[];
    const other = keys.filter((key) => !isDeepStrictEqual(was[key], stage[key]));
    if (other.length > 0)
      changes.push(`stage ${name}: ${other.map((key) => `${key} was ${shown(was[key])} and is ${shown(stage[key])}`).join(', ')}`);
  }
  return changes.length === 0 ? 'a value from the environment or the service is another' : changes.join('; ');
}

function shown(value: unknown): string {
  const text = value === undefined ? 'left out' : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
