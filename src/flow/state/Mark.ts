import type { FlowStage } from '../definition/Flow.ts';
import { digestOf } from '../query/digestOf.ts';
import type { QueryParams } from '../query/QueryParams.ts';
import { queryKey } from '../query/queryKey.ts';
import type { FlowFolder } from './FlowFolder.ts';
import { readRows } from './readRows.ts';

/** Where the watermarks of finished runs are. */
export const marksFile = '.trawler/marks.jsonl';

/** How far a query was walked: the time of its newest row, and what `unless` looked at. */
export interface Mark {
  readonly time: string;
  readonly unless: string;
}

/** What makes a query the same query in another run: not in which order its rows come. */
export function markKey(stage: FlowStage, params: QueryParams): bigint {
  const { [stage.since?.order ?? '']: _, ...rest } = params;
  return digestOf(queryKey(stage, rest));
}

export async function readMarks(folder: FlowFolder): Promise<ReadonlyMap<bigint, Mark>> {
  const marks = new Map<bigint, Mark>();
  if (!folder.has(marksFile)) return marks;
  for await (const { row } of readRows(folder, marksFile)) {
    const [key, time, unless] = row as unknown as readonly [string, string, string];
    marks.set(BigInt(`0x${key}`), { time, unless });
  }
  return marks;
}

/** At most 64 bytes a query. */
export function* markLines(marks: ReadonlyMap<bigint, Mark>): Generator<string, void, undefined> {
  for (const [key, { time, unless }] of marks) yield `${JSON.stringify([key.toString(16), time, unless])}\n`;
}

/** What `unless` looks at, in few characters. */
export function shortOf(text: string): string {
  return text.length <= 8 ? text : digestOf(text).toString(36).slice(0, 8);
}
