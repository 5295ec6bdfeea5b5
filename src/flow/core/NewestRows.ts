import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { digestOf, queryKey, type BegunQuery } from './Query.ts';
import type { Left } from './events.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { readRows } from '../state/readRows.ts';

/** The file with the watermarks of finished runs. */
export const watermarksFile = '.trawler/watermarks.jsonl';

/** How far a query was walked. */
export interface Watermark {
  /** The time of its newest row. undefined: an update walks the whole query. */
  readonly time: number | undefined;
  /** The digest of the value that `unless` read. */
  readonly unless: string;
  /** What was missing. Reported until an update walks the whole query again. Absent: it was complete. */
  readonly left?: Left | undefined;
}

/** What a run keeps for stages with `since`: how far each query was walked, and when all queries of a stage were last walked in full. */
export interface KnownMarks {
  readonly watermarks: ReadonlyMap<bigint, Watermark>;
  readonly full: ReadonlyMap<string, number>;
}

/** How far the queries of stages with `since` were walked in this run. */
export class NewestRows {
  /** By `watermarkKey`. */
  readonly moved: Map<bigint, Watermark> = new Map();

  /** A query was walked as far as an update needs it. If it is divided, the newest row of all its pieces counts. */
  end(stage: FlowStage, { params, newest, unless }: BegunQuery, how: Left | undefined): void {
    const key = watermarkKey(stage, params);
    const other = this.moved.get(key);
    const before = other?.time;
    const time = newest === undefined || (before !== undefined && before > newest) ? before : newest;
    const left = other === undefined ? how : [other.left, how].find((one) => one === 'capped');
    // A service that was asked only for changes may have returned no row, which changes no watermark.
    if (time !== undefined || stage.since!.serverFilter === undefined)
      this.moved.set(key, { time, unless: digestOfUnless(stage, unless), left });
  }
}

/** The identity of a query across runs, without parameters that differ from run to run. */
export function watermarkKey(stage: FlowStage, params: QueryParams): bigint {
  return digestOf(queryKey(stage, params, stage.paramsOutsideIdentity));
}

export async function readWatermarks(folder: FlowFolder): Promise<KnownMarks> {
  const watermarks = new Map<bigint, Watermark>();
  const full = new Map<string, number>();
  for await (const { row } of readRows(folder, watermarksFile)) {
    if ('full' in row) {
      const { stage, full: at } = row as { readonly stage: string; readonly full: number };
      full.set(stage, at);
      continue;
    }
    const [key, time, unless, left] = row as unknown as readonly [string, number | null, string, Left?];
    watermarks.set(BigInt(`0x${key}`), { time: time ?? undefined, unless, left });
  }
  return { watermarks, full };
}

/** At most 73 bytes per query. */
export function* watermarkLines({ watermarks, full }: KnownMarks): Generator<string, void, undefined> {
  for (const [stage, at] of full) yield `${JSON.stringify({ stage, full: at })}\n`;
  for (const [key, { time, unless, left }] of watermarks)
    yield `${JSON.stringify([key.toString(16), time ?? null, unless, ...(left === undefined ? [] : [left])])}\n`;
}

/** A short digest of the value that `unless` reads. '' if there is none. */
export function digestOfUnless({ since }: FlowStage, text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return digestOf(`${since?.unless?.path}=${text}`).toString(36).slice(0, 8);
}
