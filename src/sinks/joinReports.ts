import type { FilePart, FileReport } from './FileReport.ts';

/** The report of a set of files, as if they were one; `sha256` is that of all of them in a row. */
export function joinReports(path: string, reports: readonly FileReport[], sha256: string): FileReport {
  const parts = reports.map((report): FilePart => ({ path: report.path, rows: report.rows, bytes: report.bytes, sha256: report.sha256 }));
  const unlisted = new Map<string, number>();
  let [rows, bytes, replaced] = [0, 0, 0];
  for (const report of reports) {
    rows += report.rows;
    bytes += report.bytes;
    replaced += report.replaced ?? 0;
    for (const [field, count] of Object.entries(report.unlisted ?? {})) unlisted.set(field, (unlisted.get(field) ?? 0) + count);
  }
  return {
    path,
    rows,
    bytes,
    sha256,
    parts,
    ...(unlisted.size > 0 && { unlisted: Object.fromEntries(unlisted) }),
    ...(replaced > 0 && { replaced }),
  };
}
