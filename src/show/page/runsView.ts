import type { RunEntry } from '../api.ts';
import { formatCount, formatDuration } from '../../flow/report/format.ts';
import { h } from './dom.ts';
import { showError, time } from './words.ts';
import { get } from './server.ts';
import { address } from './address.ts';

/** The runs of the folder, and of those in it and beside it. */
export function showRuns(element: HTMLElement): undefined {
  element.append(h('h1', {}, 'Runs'));
  const shown = address().params.get('run') ?? '';
  get<readonly RunEntry[]>('runs')
    .then((runs) => element.append(runs.length === 0 ? noRuns() : table(runs, shown)))
    .catch((error: unknown) => showError(element, error));
}

function noRuns(): HTMLElement {
  return h('p', { class: 'empty' }, 'There is no run in this folder yet. Start one: ', h('code', {}, 'trawler run FLOW --show'));
}

const heads = ['flow', 'folder', 'outcome', 'began', 'took', 'requests', 'rows', 'not as documented'];

function table(runs: readonly RunEntry[], shown: string): HTMLElement {
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
      h('td', { class: 'nowrap' }, run.phase === 'done' ? (run.outcome ?? 'done') : run.phase),
      h('td', { class: 'nowrap' }, run.startedAt === 0 ? '' : time(run.startedAt)),
      h('td', { class: 'n' }, formatDuration(ms), h('meter', { min: 0, max: longest, value: ms, 'aria-hidden': 'true' })),
      ...[run.requests, run.rows, run.drift].map((count) => h('td', { class: 'n' }, formatCount(count))),
    );
  });
  const head = heads.map((name, at) => h('th', { scope: 'col', class: at > 3 ? 'n' : undefined }, name));
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Runs' }, h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows))); // prettier-ignore
}
