import type { RunEntry } from '../api.ts';
import { formatCount, formatDuration } from '../../flow/report/format.ts';
import { h, scrollTable } from './dom.ts';
import { moodOf, program, showError, times } from './words.ts';
import { get } from './server.ts';
import { address } from './address.ts';

type RunNote = RunEntry['history'][number];

/** Shows the runs of the folder, of folders inside of it, and of those beside it. */
export function showRuns(element: HTMLElement): undefined {
  element.append(h('h1', {}, 'Runs'));
  const shown = address().params.get('run') ?? '';
  get<readonly RunEntry[]>('runs')
    .then((runs) => {
      if (runs.length === 0) return element.append(noRuns());
      element.append(table(runs, shown));
      const own = runs.find(({ id }) => id === shown);
      if (own !== undefined && own.history.length > 0) element.append(historyOf(own));
    })
    .catch((error: unknown) => showError(element, error));
}

function noRuns(): HTMLElement {
  return h('p', { class: 'empty' }, 'There is no run in this folder yet. Start one: ', h('code', {}, `${program} run FLOW --show`));
}

const heads = ['flow', 'folder', 'outcome', 'began', 'took, with breaks', 'requests', 'rows', 'fields that differ from the documentation'];

function table(runs: readonly RunEntry[], shown: string): HTMLElement {
  const time = times(runs.map(({ startedAt }) => startedAt));
  const longest = Math.max(...runs.map(({ startedAt, endedAt }) => endedAt - startedAt), 1);
  const rows = runs.map((run) => {
    const query = run.id === '' ? '' : `?${new URLSearchParams({ run: run.id }).toString()}`;
    const link = h(
      'a',
      { href: `#now${query}`, 'aria-current': run.id === shown ? 'true' : undefined },
      run.flow === '' ? run.folder : run.flow,
    );
    const ms = Math.max(0, run.endedAt - run.startedAt);
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, link),
      h('td', { class: 'nowrap' }, run.id === '' ? 'this folder' : run.id),
      h('td', { class: `nowrap ${moodOf(run.phase, run.outcome)}` }, run.phase === 'done' ? (run.outcome ?? 'done') : run.phase),
      h('td', { class: 'nowrap' }, run.startedAt === 0 ? '' : time(run.startedAt)),
      h('td', { class: 'n' }, formatDuration(ms), h('meter', { min: 0, max: longest, value: ms, 'aria-hidden': 'true' })),
      ...[run.requests, run.rows, run.drift].map((count) => h('td', { class: 'n' }, formatCount(count))),
    );
  });
  return scrollTable('Runs', heads, 4, rows);
}

const historyHeads = [
  'began',
  'outcome',
  'took, with breaks',
  'requests',
  'rows',
  'failed queries',
  'fields that differ from the documentation',
  'new',
  'changed',
  'gone',
];

/** The finished runs of one folder: the crawl, and the updates that followed. */
function historyOf({ history }: RunEntry): HTMLElement {
  const time = times(history.map(({ startedAt }) => Date.parse(startedAt)));
  const began = (run: RunNote): string => time(Date.parse(run.startedAt));
  const ms = ({ startedAt, endedAt }: RunNote): number => Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
  const rows = history.toReversed().map((run) => {
    const { new: added, changed, gone } = run.changes ?? {};
    const counts = [run.requests, run.rows, run.failed, run.drift, added, changed, gone];
    return h(
      'tr',
      {},
      h('th', { scope: 'row', class: 'nowrap' }, began(run)),
      h('td', { class: `nowrap ${moodOf('done', run.outcome as RunEntry['outcome'])}` }, run.outcome),
      h('td', { class: 'n' }, formatDuration(ms(run))),
      ...counts.map((count) => h('td', { class: 'n' }, count === undefined ? '–' : formatCount(count))),
    );
  });
  return h('section', {}, h('h2', {}, 'History of this folder'), scrollTable('History', historyHeads, 2, rows));
}
