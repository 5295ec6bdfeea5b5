import type { RunState } from '../api.ts';
import { escapeHtml, formatCount, formatDuration, formatMoney } from '../../flow/report/format.ts';
import { aboutText, expectPages, formatSeconds, sharesOf, timeLeft, type Shares } from '../../flow/report/expectPages.ts';
import { moodOfStage } from '../../flow/report/stageTable.ts';

type Stage = RunState['stages'][number];

/** The main figures: rows, requests, time and cost, and what is left of them. Then the progress of each stage. */
export function progressHtml(state: RunState): string {
  const { phase, startedAt, endedAt, breaksMs, requests, stages, live, before = 0, price } = state;
  if (stages.length === 0) return '';
  const sum = (pick: (stage: Stage) => number): number => stages.reduce((total, stage) => total + pick(stage), 0);
  const pages = expectPages(stages);
  const more = phase === 'done' ? 0 : Math.ceil(pages.reduce((all, { found, expected }) => all + found + expected, 0));
  const about = aboutText({ atLeast: pages.some((one) => one.more) });
  const ranMs = Math.max(0, endedAt - startedAt - breaksMs);
  const left = timeLeft(pages, before, ranMs);
  const took = formatDuration(ranMs);
  const breaks = breaksMs === 0 ? '' : `, and ${formatDuration(breaksMs)} of breaks`;
  const isRunning = phase === 'running';
  const leftMs = left === undefined ? 'not known yet' : `${about} ${formatSeconds(Math.max(1000, left.ms))}`;
  const ofMost = live?.maxRequests === undefined ? '' : `of ${formatCount(live.maxRequests)}`;
  const toCome = more === 0 ? '' : `${about} ${formatCount(more)} left`;
  const figures: (readonly [name: string, value: string, beside: string, mood?: string])[] = [
    ['Rows', formatCount(sum(({ rows }) => rows)), ''],
    ['Requests', formatCount(requests), [ofMost, toCome].filter(Boolean).join(', ')],
    isRunning ? ['Time left', leftMs, `ran for ${took}${breaks}`] : ['Took', took, breaks.replace(', and ', 'and ')],
  ]; // prettier-ignore
  if (price !== undefined)
    figures.push(['Cost', formatMoney(requests, price), more === 0 ? '' : `${about} ${formatMoney(more, price)} left`]);
  const failed = sum((stage) => stage.failed);
  if (failed > 0) figures.push(['Failed queries', formatCount(failed), '', 'bad']);
  const tiles = figures.map(
    ([name, value, beside, mood = '']) => `<div><dt>${name}</dt><dd class="${mood}">${value}</dd><dd class="mute">${beside}</dd></div>`,
  );
  const lines = stages.map((stage, at) => barLine(stage, sharesOf([pages[at]!], stage.outcome !== 'interrupted'), isRunning));
  return (
    `<dl class="lead">${tiles.join('')}</dl><table class="bars"><caption class="hidden">How far the stages ` +
    `are</caption><tbody>${lines.join('')}</tbody></table>`
  );
}

/** A stage in a line, as in the terminal: its name, a bar, its queries and its rows. */
function barLine(stage: Stage, shares: Shares, isRunning: boolean): string {
  const { name, done, failed, waiting, more, rows } = stage;
  const ended = done + failed;
  const all = `${formatCount(ended + waiting)}${more ? '+' : ''}`;
  const width = (share: number): string => (share * 100).toFixed(1);
  const bar =
    `<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="done" width="${width(shares.done)}" ` +
    `height="1"/><rect class="found" x="${width(shares.done)}" width="${width(shares.found)}" height="1"/></svg>`;
  return (
    `<tr class="${moodOfStage(stage, isRunning)}"><th scope="row">${escapeHtml(name)}</th><td class="far">${bar}</td><td ` +
    `class="n">${formatCount(ended)} of ${all} queries</td><td class="n">${formatCount(rows)} rows</td></tr>`
  );
}
