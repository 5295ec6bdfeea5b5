import type { ReportFailures } from './failuresByKind.ts';
import { escapeHtml, formatCount } from './format.ts';

/** Each kind of failure once, with its count and its first message, as HTML. `others`: failures of further kinds. */
export function failureTable(failures: readonly ReportFailures[], others: number): string {
  const body = failures.map(
    (one) =>
      `<tr><td class="n bad">${formatCount(one.count)} ×</td><td class="nowrap">${one.stages.map(escapeHtml).join('<br>')}</td><td class="wide"><b>${escapeHtml(one.name)}</b>: ${escapeHtml(one.kind)}<details><summary>the first of them</summary>${escapeHtml(one.example)}</details></td></tr>`,
  );
  if (others > 0) {
    body.push(
      `<tr><td class="n bad">${formatCount(others)} ×</td><td></td><td class="wide">of other kinds: see <a href="failures.jsonl">failures.jsonl</a></td></tr>`,
    );
  }
  return `<table class="failures"><tbody>${body.join('\n')}</tbody></table>`;
}
