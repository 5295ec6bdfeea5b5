import type { FlowFile } from '../run/FlowProgress.ts';
import { escapeHtml, formatBytes, formatCount } from './format.ts';
import { linkTo } from './linkTo.ts';
import type { ReportData } from './ReportData.ts';
import { sampleTable } from './sampleTable.ts';

/** A file of the run, with its first rows. */
export function fileSection(file: FlowFile, { record, stages }: ReportData): string {
  const sample = record.samples.get(file.path) ?? [];
  const writers = stages.filter((stage) => stage.to.includes(file.path)); // none: it is one of the run's own
  const onDisk = file.sha256 === undefined ? `${file.path}.part` : file.path;
  const digest =
    file.sha256 === undefined
      ? ''
      : ` <code title="sha256 ${escapeHtml(file.sha256)}">sha256 ${escapeHtml(file.sha256.slice(0, 12))}…</code>`;
  const keep = writers.flatMap((stage) => stage.keep);
  const rows = sample.length > 0 ? sampleTable(sample, keep) : writers.length > 0 ? '<p class="mute">This run added no rows.</p>' : '';
  return `<section class="file"><p><b>${linkTo(onDisk)}</b> <span class="mute">${formatCount(file.rows)} rows, ${formatBytes(file.bytes)}</span>${digest}</p>${rows}</section>`;
}
