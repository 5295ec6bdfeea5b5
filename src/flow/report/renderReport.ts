import { clockText } from '../../../operators/kit/days.ts';
import { once } from '../../../operators/kit/once.ts';
import { sha256 } from '../../files/blocks.ts';
import type { StageProgress, FlowFile } from '../run/FlowProgress.ts';
import type { ReportData } from './RunRecorder.ts';
import { drawFlow } from './drawFlow.ts';
import { failureTable } from './failuresByKind.ts';
import { completeness, figureTable, outcomeMeanings, stageBox, stageTable } from './stageTable.ts';
import { outcomes } from '../run/outcomes.ts';
import { endingOf } from './headlineOf.ts';
import { drawHeadlines } from './drawHeadlines.ts';
import { drawMap } from './drawMap.ts';
import { countOf, escapeHtml, formatCount, formatBytes, scrolled, stepList } from './format.ts';
import { previewTable, withoutRows } from './previewTable.ts';
import { nextSteps, sandboxNote } from './nextSteps.ts';
import { reportStyle } from './reportStyle.ts';

const styleHash = once(() => sha256().update(reportStyle).digest('base64'));

/**
 * Renders the report of a run: the headline of the flow, whether it is complete and what to do next, failures by kind, the files with their
 * first rows, and below a fold times, costs, the flow and its stages. The page needs no network, runs no script, and always shows data as
 * text.
 */
export function renderReport(data: ReportData): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" 
content="default-src 'none'; style-src 'sha256-${styleHash()}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(data.name)} – trawler</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
${heading(data)}
${drawHeadlines(data.headlines ?? [])}
${whetherComplete(data)}
${failures(data)}${section('Queries that found nothing', withoutRows(data.stages, allIn))}${maps(data)}${changes(data)}
<h2>Files</h2>
${filesOf(data)}
<details class="fold"><summary><h2>Times, costs and stages</h2></summary>
${figures(data)}
<div class="drawing" tabindex="0" role="group" aria-label="The flow, with its counts">
${drawFlow(data.stages.map((stage) => stageBox(stage)))}</div>
${scrolled(stageTable(data.stages), 'Stages', 'stages')}${outcomeMeanings(data.stages)}
</details>
</main>
</body>
</html>
`;
}

function heading({ name, outcome, startedAt, endedAt, command }: ReportData): string {
  const [from, to] = [clockText(startedAt), clockText(endedAt)];
  const until = to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to;
  return `<div class="title"><h1>${escapeHtml(name)}</h1><span class="badge ${outcomes[outcome].mood}">${outcome}</span></div>
<p class="mute">${[`${from} to ${until} UTC`, ...sandboxNote(command)].join('. ')}</p>`;
}

/** How it ended, whether it is complete, and what to do next. */
function whetherComplete(data: ReportData): string {
  const remarks = (data.remarks ?? []).map((text) => ({ text: /[.?]$/.test(text) ? text : `${text}.`, command: undefined }));
  const complete = { text: completeness(data.outcome, data.stages), command: undefined };
  return `<h2>Is it complete?</h2>
<p class="ending">${escapeHtml(endingOf(data))}</p>
${stepList([...remarks, complete, ...nextSteps(data, data.command)])}`;
}

/** What came in all runs, and how fast this one was. How the run ended says the rest. */
function figures({ startedAt, endedAt, requests, earlierRequests = 0, polls = 0, stages }: ReportData): string {
  const sum = (pick: (stage: StageProgress) => number): number => stages.reduce((total, stage) => total + pick(stage), 0);
  const [rows, pages] = [sum((stage) => stage.rows), sum((stage) => stage.pages)];
  const perSecond = formatCount((requests * 1000) / Math.max(1, endedAt - startedAt));
  return (
    `<p>${countOf(rows, 'row')} from ${countOf(pages, 'page')}. This run sent ${perSecond} requests per second.</p>` +
    spentOn(requests + earlierRequests, pages, polls > 0)
  );
}

/** Where there are more requests than pages: what the others were for. */
function spentOn(requests: number, pages: number, polls: boolean): string {
  const others = requests - pages;
  if (others <= 0) return '';
  const jobs = polls ? ' started a job or polled it,' : '';
  return (
    `<p class="mute">${countOf(pages, 'request')} brought a page. The other ` +
    `${countOf(
      others,
      `was a retry, a recheck of a page that seemed to lack rows, failed,${jobs} or was`,
      `were retries, rechecks of pages that seemed to lack rows, failed,${jobs} or were`,
    )} ` +
    `under way when a run stopped.</p>`
  );
}

function changes({ changes = [] }: ReportData): string {
  if (changes.length === 0) return '';
  const rows = changes.map(({ stage, file, new: added, changed, gone, goneUnknown }) => ({
    about: escapeHtml(stage),
    cells: [added, changed, goneUnknown === undefined ? gone : `not known: ${goneUnknown}`],
    last: `<td>${added + changed + gone === 0 ? '' : linkTo(file)}</td>`,
  }));
  return `\n<h2>Changes</h2>\n${scrolled(figureTable('stage', ['new', 'changed', 'gone'], rows), 'Changes', 'stages')}`;
}

function maps({ maps = new Map(), stages, areas }: ReportData): string {
  const covered = Array.from(maps, ([stage, sketch]) =>
    drawMap(stage, sketch, { rings: areas?.get(stage), outside: stages.find(({ name }) => name === stage)?.outside }),
  );
  return section('Map', covered.join('\n'));
}

/** Each kind of failure once, with its count. Empty if nothing failed. */
function failures({ failures, stages }: ReportData): string {
  if (failures.length === 0) return '';
  const others = stages.reduce((total, stage) => total + stage.failed, 0) - failures.reduce((total, { count }) => total + count, 0);
  return `<h2>Failures</h2>
${scrolled(failureTable(failures, others), 'Failures')}`;
}

/** A part of the page with a heading, or nothing. */
function section(heading: string, content: string): string {
  return content === '' ? '' : `\n<h2>${heading}</h2>\n${content}`;
}

function allIn(file: string): string {
  return `<p class="mute">All of them are in ${linkTo(file)}.</p>`;
}

/** Each stage that writes files, with its files and its first rows, then the files of no stage. */
function filesOf({ files, stages, previews }: ReportData): string {
  if (files.length === 0) return '<p class="mute">This flow writes no files.</p>';
  const written = new Set(stages.flatMap(({ to }) => to));
  const sections = stages
    .filter(({ to }) => to.length > 0)
    .map(({ name, to, rows: ofTable, outcome }) => {
      const lines = to.map((path) => {
        const tables = stages.filter((stage) => stage.to.includes(path)).length;
        const file = files.find((one) => one.path === path);
        const table = tables > 1 ? ` <span class="mute">table ${escapeHtml(name)}, one of ${tables}</span>` : '';
        if (file === undefined) return `<p><b>${escapeHtml(path)}</b> <span class="mute">not written yet</span></p>`;
        return fileLine(tables > 1 ? { ...file, rows: ofTable } : file, table);
      });
      const preview = previews.get(name);
      const rows =
        preview === undefined || preview.rows.length === 0
          ? `<p class="mute">${outcome === 'interrupted' ? 'No rows yet.' : 'No rows.'}</p>`
          : previewTable(preview);
      return `<section class="file">${lines.join('')}${rows}</section>`;
    });
  const others = files.filter(({ path }) => !written.has(path)).map((file) => `<section class="file">${fileLine(file)}</section>`);
  return [...sections, ...others].join('\n');
}

function fileLine({ path, rows, bytes, sha256 }: FlowFile, table: string = ''): string {
  const onDisk = sha256 === undefined ? `${path}.part` : path;
  const digest =
    sha256 === undefined ? '' : ` <code title="sha256 ${escapeHtml(sha256)}">sha256 ${escapeHtml(sha256.slice(0, 12))}…</code>`;
  return `<p><b>${linkTo(onDisk)}</b>${table} <span class="mute">${formatCount(rows)} rows, ${formatBytes(bytes)}</span>${digest}</p>`;
}

function linkTo(path: string): string {
  return `<a href="${escapeHtml(path.split('/').map(encodeURIComponent).join('/'))}">${escapeHtml(path)}</a>`;
}
