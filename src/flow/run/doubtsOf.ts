import type { FlowStage } from '../definition/Flow.ts';
import type { StageCounts } from '../state/FlowState.ts';
import { isWithin } from '../query/isWithin.ts';

/** How the rows of a stage miss its expectations, one sentence each. `last`: its rows in the previous run. */
export function doubtsOf({ expect }: FlowStage, counts: StageCounts, last: number | undefined): readonly string[] {
  if (expect === undefined) return [];
  const { rows, filled = {}, rowsPerQuery, vsLast } = expect;
  const doubts: string[] = [];
  if (rows !== undefined && !isWithin(counts.rows, rows)) doubts.push(`${counts.rows} rows, and ${inWords(rows)} are expected`);
  for (const [field, share] of Object.entries(filled)) {
    const found = counts.rows === 0 ? 0 : (counts.filled.get(field) ?? 0) / counts.rows;
    if (found < share) doubts.push(`${field} is filled in ${percent(found)} of the rows, and at least ${percent(share)} is expected`);
  }
  if (rowsPerQuery !== undefined && counts.unexpected > 0) {
    const queries = counts.unexpected === 1 ? '1 query has' : `${counts.unexpected} queries have`;
    doubts.push(`${queries} another number of rows than ${inWords(rowsPerQuery)}`);
  }
  if (vsLast !== undefined && last !== undefined && counts.rows < last * vsLast)
    doubts.push(`${counts.rows} rows, and the run before had ${last}: at least ${percent(vsLast)} of that is expected`);
  return doubts;
}

function inWords(bounds: { readonly '>='?: number | undefined; readonly '<='?: number | undefined }): string {
  const [least, most] = [bounds['>='], bounds['<=']];
  if (least === undefined) return `at most ${most}`;
  return most === undefined ? `at least ${least}` : `${least} to ${most}`;
}

/** Rounded down, so a share below the limit never looks as if it reached it. */
function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}
