import type { StageProgress } from '../../flow/index.ts';
import { formatCount } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import type { Paint } from '../text/paintFor.ts';
import { padText, textWidth } from '../text/textWidth.ts';
import { formatLeft } from './renderLine.ts';
import type { RunView, Shares } from './RunView.ts';

const minWidth = 60; // narrower terminals have room for figures only
const barShare = 4; // a quarter of the width

/** One line per stage, and one for the whole run with the time left. */
export function stageLines(view: RunView, width: number, limit: number, paint: Paint): readonly string[] {
  const shown = view.stages.length <= limit ? view.stages : busiest(view.stages, limit - 1);
  const names = shown.map(({ name }) => escapeForTerminal(name));
  // Names and bars take the same room in each frame. Otherwise what is filled would move back while the figures beside it grow.
  const longestName = longest([...view.stages.map(({ name }) => escapeForTerminal(name)), 'total']);
  const nameWidth = Math.min(longestName, Math.max(8, Math.floor(width / 4)));
  const barWidth = width < minWidth ? 0 : Math.floor(width / barShare);
  const room = width - nameWidth - 2 - (barWidth === 0 ? 0 : barWidth + 2);
  const queries = aligned(shown.map(queriesOf));
  const rows = aligned(shown.map((stage) => formatCount(stage.rows)));
  const failed = shown.map((stage) => (stage.failed > 0 ? `  ${paint.red(`${formatCount(stage.failed)} failed`)}` : ''));
  const inWords = shown.map((_, index) => `${queries[index]} queries  ${rows[index]} rows${failed[index]}`);
  const texts = longest(inWords) <= room ? inWords : shown.map((_, index) => `${queries[index]}  ${rows[index]}${failed[index]}`);
  const line = (name: string, shares: Shares, mood: Mood, text: string): string =>
    [padText(name, nameWidth), ...(barWidth > 0 ? [bar(shares, barWidth, mood, paint)] : []), text].join('  ');
  const hidden = view.stages.length - shown.length;
  return [
    ...shown.map((stage, index) => line(names[index]!, view.bars[view.stages.indexOf(stage)]!, moodOf(stage, paint), texts[index]!)),
    ...(hidden > 0 ? [`and ${formatCount(hidden)} more stages`] : []),
    line('total', view.total, worstMood(view.stages, paint), totalOf(view)),
  ];
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

/** Pads all texts on the left to the width of the longest. */
function aligned(texts: readonly string[]): readonly string[] {
  const width = longest(texts);
  return texts.map((text) => padText(text, width, 'right'));
}

function totalOf({ stages, left, ended }: RunView): string {
  const rows = `${formatCount(stages.reduce((sum, stage) => sum + stage.rows, 0))} rows`;
  return ended || left === undefined ? rows : `${rows}, ${formatLeft(left)}`;
}

function queriesOf({ done, failed, waiting, more }: StageProgress): string {
  const ended = done + failed;
  return `${formatCount(ended)} of ${formatCount(ended + waiting)}${more ? '+' : ''}`;
}

type Mood = (text: string) => string;

function moodOf({ outcome, failed }: StageProgress, paint: Paint): Mood {
  if (outcome === 'failed') return paint.red;
  return failed > 0 ? paint.amber : paint.green;
}

function worstMood(stages: readonly StageProgress[], paint: Paint): Mood {
  const moods = stages.map((stage) => moodOf(stage, paint));
  return [paint.red, paint.amber].find((mood) => moods.includes(mood)) ?? paint.green;
}

/** Received, found and unknown parts. */
function bar({ done, found }: Shares, width: number, mood: Mood, paint: Paint): string {
  const full = Math.floor(done * width);
  const known = Math.min(width - full, Math.round(found * width));
  return mood('█'.repeat(full)) + '░'.repeat(known) + paint.dim('·'.repeat(width - full - known));
}

/** Stages with waiting work first, in the flow's order. */
function busiest(stages: readonly StageProgress[], limit: number): readonly StageProgress[] {
  const kept = new Set(stages.toSorted((one, other) => Math.sign(other.waiting) - Math.sign(one.waiting)).slice(0, limit));
  return stages.filter((stage) => kept.has(stage));
}
