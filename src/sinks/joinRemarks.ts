import type { FileReport } from './FileReport.ts';

export type Remarks = Pick<FileReport, 'unlisted' | 'replaced'>;

/** The remarks on several files, or tables of a file, as on one. */
export function joinRemarks(all: readonly Remarks[]): Remarks {
  const unlisted = new Map<string, number>();
  let replaced = 0;
  for (const one of all) {
    replaced += one.replaced ?? 0;
    for (const [field, count] of Object.entries(one.unlisted ?? {})) unlisted.set(field, (unlisted.get(field) ?? 0) + count);
  }
  return { ...(unlisted.size > 0 && { unlisted: Object.fromEntries(unlisted) }), ...(replaced > 0 && { replaced }) };
}
