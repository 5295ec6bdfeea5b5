import { narrowed } from './WorldTruth.ts';
import type { FlowEvent } from '../../src/flow/core/events.ts';

/** How many pages of each query are committed, and whether it has ended: by stage, key and part. */
export type CommittedPages = ReadonlyMap<string, { pages: number; ended: boolean }>;

interface Line {
  readonly type: string;
  /** The failed queries of an earlier run, which an update begins with. */
  readonly retry?: object;
  readonly events?: readonly FlowEvent[];
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
    if (line.type === 'reopen' || line.retry !== undefined) return undefined;
    const told = (line.events ?? []).flatMap((event) => (event.type === 'TileSearched' && event.ends ? [event, event.ends] : [event]));
    for (const event of told) {
      switch (event.type) {
        case 'QueryFailed':
        case 'QueryPostponed':
        case 'WalkRestarted':
          return undefined;
        case 'QueriesFound':
          for (const [stage, params] of event.found)
            queries.push(`${stages[stage]} ${params['key'] as string} ${narrowed((param) => params[param]) ?? ''}`);
          break;
        case 'PageTaken':
        case 'QueryEnded': {
          if (event.type === 'QueryEnded' && event.short !== undefined) return undefined;
          const query = queries[event.query]!;
          const { pages } = all.get(query) ?? { pages: 0 }; // one that was refused as too large ends without a page
          all.set(query, event.type === 'PageTaken' ? { pages: pages + 1, ended: false } : { pages, ended: true });
        }
      }
    }
  }
  return all;
}
