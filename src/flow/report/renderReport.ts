import { createHash } from 'node:crypto';
import type { FlowFile, StageProgress } from '../run/FlowProgress.ts';
import type { ReportData } from './ReportData.ts';
import { drawFlow } from './drawFlow.ts';
import { drawLatency } from './drawLatency.ts';
import { drawTimes } from './drawTimes.ts';
import { escapeHtml } from './escapeHtml.ts';
import { formatBytes } from './formatBytes.ts';
import { formatCount } from './formatCount.ts';
import { formatDuration } from './formatDuration.ts';
import { reportStyle } from './reportStyle.ts';
import { sampleTable } from './sampleTable.ts';

const moods = { complete: 'good', capped: 'warn', interrupted: 'warn', failed: 'bad' } as const;

/**
 * The page of a run: the flow drawn, what happened over time, latency, failures by class, the first rows of each file.
 * It needs no network, runs no script, and shows data as text, whatever is in it.
 */
export function renderReport(data: ReportData): string {
  const styleHash = createHash('sha256').update(reportStyle).digest('base64');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(data.name)} – trawler</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
${heading(data)}
${tiles(figures(data))}
<h2>Flow</h2>
<div class="scroll drawing" tabindex="0">${drawFlow(data.stages.map(box))}</div>
${stageTable(data.stages)}
<h2>Over time</h2>
${drawTimes(data.record, data.endedAt)}
<h2>Latency</h2>
${drawLatency(data.record.latency)}
<h2>Failures</h2>
${failures(data)}
<h2>Files</h2>
${data.files.length === 0 ? '<p class="mute">This flow writes no files.</p>' : data.files.map((file) => fileSection(file, data)).join('\n')}
</main>
</body>
</html>
`;
}

function heading({ name, outcome, because, startedAt, endedAt }: ReportData): string {
  const [from, to] = [startedAt, endedAt].map((at) => new Date(at).toISOString().replace('T', ' ').slice(0, 19)) as [string, string];
  const until = to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to;
  const why = because === undefined ? '' : `<p>${escapeHtml(because)}</p>`;
  return `<h1>${escapeHtml(name)}</h1>
<p><span class="badge ${moods[outcome]}">${outcome}</span><span>${from} to ${until} UTC</span></p>${why}`;
}

function figures(data: ReportData): readonly (readonly [string, string])[] {
  const ms = Math.max(1, data.endedAt - data.startedAt);
  const sum = (pick: (stage: StageProgress) => number): number => data.stages.reduce((total, stage) => total + pick(stage), 0);
  return [
    ['Took', formatDuration(ms)],
    ['Rows', formatCount(sum((stage) => stage.rows))],
    ['Pages', formatCount(sum((stage) => stage.pages))],
    ['Requests', formatCount(data.requests)],
    ['Requests a second', formatCount((data.requests * 1000) / ms)],
    ['Retries', formatCount(data.retries)],
    ['Answers of 429', formatCount(data.throttled)],
    ['Failed queries', formatCount(sum((stage) => stage.failed))],
  ];
}

function tiles(pairs: readonly (readonly [string, string])[]): string {
  return `<dl class="tiles">${pairs.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

function box(stage: StageProgress): Parameters<typeof drawFlow>[0][number] {
  const queries = stage.waiting > 0 ? `${formatCount(stage.done)} of ${formatCount(stage.done + stage.waiting)}` : formatCount(stage.done);
  return {
    name: stage.name,
    call: stage.call,
    each: stage.each,
    lines: [
      `${queries} queries, ${formatCount(stage.pages)} pages`,
      `${formatCount(stage.rows)} rows${stage.failed > 0 ? `, ${formatCount(stage.failed)} failed` : ''}`,
      ...stage.to.map((path) => `→ ${path}`),
    ],
    mood: moods[stage.outcome],
  };
}

function stageTable(stages: readonly StageProgress[]): string {
  const body = stages.map((stage) => {
    const counts = [stage.done, stage.waiting, stage.failed, stage.pages, stage.rows].map(
      (count) => `<td class="n">${formatCount(count)}</td>`,
    );
    return `<tr><th scope="row">${escapeHtml(stage.name)}</th><td class="nowrap">${escapeHtml(stage.call)}</td>${counts.join('')}<td class="nowrap ${moods[stage.outcome]}">${stage.outcome}</td></tr>`;
  });
  const heads = ['queries done', 'waiting', 'failed', 'pages', 'rows'].map((head) => `<th scope="col" class="n">${head}</th>`).join('');
  return `<p></p><div class="scroll" tabindex="0"><table><thead><tr><th scope="col">stage</th><th scope="col">operation</th>${heads}<th scope="col"></th></tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function failures({ record }: ReportData): string {
  if (record.failures.length === 0) return '<p class="mute">None in this run.</p>';
  const body = record.failures.map(
    (one) =>
      `<tr><th scope="row" class="bad">${escapeHtml(one.name)}</th><td class="n">${formatCount(one.count)}</td><td class="nowrap">${one.stages.map(escapeHtml).join('<br>')}</td><td class="wide">${escapeHtml(one.example)}</td></tr>`,
  );
  return `<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">class</th><th scope="col" class="n">queries</th><th scope="col">stages</th><th scope="col">the first of them</th></tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function fileSection(file: FlowFile, { record, stages }: ReportData): string {
  const sample = record.samples.get(file.path) ?? [];
  const digest = file.sha256 === undefined ? '' : `<p><code>sha256 ${escapeHtml(file.sha256)}</code></p>`;
  const written = stages.some((stage) => stage.to.includes(file.path)); // else it is one of the run's own
  const rows = sample.length > 0 ? sampleTable(sample) : written ? '<p class="mute">This run wrote no rows to it.</p>' : '';
  return `<details open><summary><b>${escapeHtml(file.path)}</b><span class="mute">${formatCount(file.rows)} rows, ${formatBytes(file.bytes)}</span></summary>${digest}${rows}</details>`;
}
