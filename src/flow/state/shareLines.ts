import { valuesAt } from '../../../operators/kit/valuesAt.ts';
import { rowKey } from '../core/Dedup.ts';
import type { AnsweredQuery } from '../core/AnswerShares.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowView } from '../core/FlowState.ts';
import { rowSource } from './FlowFiles.ts';
import type { FlowFolder } from './FlowFolder.ts';
import { readRows } from './readRows.ts';

/** The standard normal quantile of a two-sided 95 % interval. */
const z = 1.959964;

/** The 95 % confidence interval of a share of which `n` of `of` were seen, by Wilson's score. */
export function shareInterval(n: number, of: number): { readonly low: number; readonly high: number } {
  const share = n / of;
  const weight = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / weight;
  const half = (z / weight) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** A line of `shares.jsonl`: a row, and in how many of the answers to its query it was. */
export interface ShareLine {
  /** When its run began. */
  readonly seen_at: string;
  readonly stage: string;
  readonly query: object;
  /** What identifies the row. */
  readonly row: { readonly [field: string]: unknown };
  readonly n: number;
  readonly of: number;
  readonly share: number;
  /** The 95 % confidence interval of the share (Wilson). */
  readonly low: number;
  readonly high: number;
}

/** The lines of `shares.jsonl` that a run adds, the largest shares of each query first. */
export async function shareLines(flow: Flow, { shares }: FlowView, folder: FlowFolder, seenAt: number): Promise<readonly ShareLine[]> {
  const seen_at = new Date(seenAt).toISOString();
  const lines: ShareLine[] = [];
  for (const [name, { queries }] of shares) {
    const stage = flow.byName.get(name)!;
    const rows = await keyValues(flow, stage, folder, queries);
    for (const { params, answers, rows: counts } of queries) {
      const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
      for (const [digest, n] of sorted) {
        const { low, high } = shareInterval(n, answers);
        lines.push({ seen_at, stage: name, query: params, row: rows.get(digest) ?? {}, n, of: answers, share: n / answers, low, high });
      }
    }
  }
  return lines;
}

/** What identifies the rows that were counted, from the stage's rows on disk. */
async function keyValues(
  flow: Flow,
  stage: FlowStage,
  folder: FlowFolder,
  queries: readonly AnsweredQuery[],
): Promise<ReadonlyMap<bigint, ShareLine['row']>> {
  const wanted = new Set(queries.flatMap(({ rows }) => [...rows.keys()]));
  const values = new Map<bigint, ShareLine['row']>();
  for await (const { row } of readRows(folder, rowSource(flow, stage)!)) {
    const digest = rowKey(stage, stage.counted, row);
    if (wanted.has(digest) && !values.has(digest))
      values.set(digest, Object.fromEntries(stage.counted.map((field) => [field.path, valuesAt(row, field)[0] ?? null])));
  }
  return values;
}
