import { narrowed } from './WorldTruth.ts';
import type { JournalFound, JournalStep } from '../../src/flow/state/JournalRecord.ts';

/** How many pages of each query are committed, and whether it has ended: by stage, key and part. */
export type CommittedPages = ReadonlyMap<string, { pages: number; ended: boolean }>;

interface Line {
  readonly type: string;
  readonly steps?: readonly JournalStep[];
}

/** What a journal says that must not be paid for again. undefined: it tells of failures, after which a page may be requested again. */
export function committedPages(journal: string, stages: readonly string[], survivesPower = false): CommittedPages | undefined {
  const all = new Map<string, { pages: number; ended: boolean }>();
  const queries: string[] = [];
  const lines = journal.split('\n').slice(0, -1);
  const end = survivesPower ? lines.findLastIndex((text) => !text.includes('"unsynced":true')) + 1 : lines.length;
  for (const text of lines.slice(0, end)) {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      return all; // torn
    }
    if (line.type === 'reopen') return undefined;
    for (const step of line.steps ?? []) {
      if (step.kind === 'failure' || step.kind === 'late' || step.kind === 'again') return undefined;
      if (step.kind === 'page') {
        if (step.failure !== undefined || step.short !== undefined || step.rewalk !== undefined) return undefined;
        const query = queries[step.query]!;
        const before = all.get(query);
        all.set(query, { pages: (before?.pages ?? 0) + 1, ended: step.next === undefined });
      }
      for (const [stage, params] of (step as { readonly found?: readonly JournalFound[] }).found ?? [])
        queries.push(`${stages[stage]} ${params['key'] as string} ${narrowed((param) => params[param]) ?? ''}`);
    }
  }
  return all;
}
