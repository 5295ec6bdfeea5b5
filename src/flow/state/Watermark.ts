import type { FlowStage } from '../definition/Flow.ts';
import { digestOf } from '../query/digestOf.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { queryKey } from '../query/queryKey.ts';
import type { FlowFolder } from './FlowFolder.ts';
import { readRows } from './readRows.ts';

/** The file with the watermarks of finished runs. */
export const watermarksFile = '.trawler/watermarks.jsonl';

/** How far a query was walked. */
export interface Watermark {
  /** The time of its newest row. undefined: an update walks the whole query. */
  readonly time: number | undefined;
  /** The digest of the value that `unless` read. */
  readonly unless: string;
  /** The number of its rows, if known. */
  readonly rows: number | undefined;
}

/** An update walks the query to its end. */
export const toTheEnd: Watermark = { time: undefined, unless: '', rows: undefined };

/** The identity of a query across runs. The order of its rows isn't part of it. */
export function watermarkKey(stage: FlowStage, params: QueryParams): bigint {
  const { [stage.since?.order ?? '']: _, ...rest } = params;
  return digestOf(queryKey(stage, rest));
}

export async function readWatermarks(folder: FlowFolder): Promise<ReadonlyMap<bigint, Watermark>> {
  const watermarks = new Map<bigint, Watermark>();
  for await (const { row } of readRows(folder, watermarksFile)) {
    const [key, time, unless, rows] = row as unknown as readonly [string, number | null, string, number | undefined];
    watermarks.set(BigInt(`0x${key}`), { time: time ?? undefined, unless, rows });
  }
  return watermarks;
}

/** At most 64 bytes per query. */
export function* watermarkLines(watermarks: Iterable<readonly [bigint, Watermark]>): Generator<string, void, undefined> {
  for (const [key, { time, unless, rows }] of watermarks) {
    const line = [key.toString(16), time ?? null, unless, ...(rows === undefined ? [] : [rows])];
    yield `${JSON.stringify(line)}\n`;
  }
}

/** A short digest of the value that `unless` reads. '' if there is none. */
export function shortOf({ since }: FlowStage, text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return digestOf(`${since?.unless?.path}=${text}`).toString(36).slice(0, 8);
}
