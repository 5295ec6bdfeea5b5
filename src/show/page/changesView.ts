import type { RowsPart, RunState, TableInfo } from '../api.ts';
import { formatCount } from '../../flow/report/format.ts';
import { filterText, go, hrefOf, hrefWith, address } from './address.ts';
import { h, setText } from './dom.ts';
import { changeOf } from './RowDialog.ts';
import { get, getRows } from './server.ts';
import { showError, times } from './words.ts';

const kinds = { added: 'new', changed: 'changed', gone: 'gone' } as const;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as readonly Kind[];
const shownRows = 20;

/** What an update has changed in the rows of a stage. */
interface Changes {
  readonly file: string;
  /** The stage, or the file's name where the flow isn't known. */
  readonly of: string;
  /** When the update began, as its folder says. */
  readonly moment: string;
  /** Of each kind. */
  readonly counts: readonly number[];
}

/** What updates have changed: the sum by stage, each update, and the first rows of the chosen updates. */
export function showChanges(element: HTMLElement): () => void {
  const list = h('div');
  const rows = h('section');
  element.append(h('h1', {}, 'Changes'), list, rows);
  let all: readonly Changes[] = [];
  let asked = 0;
  let listed: string | undefined; // since when
  const follow = async (): Promise<void> => {
    const turn = ++asked;
    const since = address().params.get('since') ?? '';
    const shown = all.filter(({ moment }) => moment >= since);
    if (all.length > 0 && since !== listed) {
      list.replaceChildren(...listOf(all, shown));
      if (listed !== undefined) list.querySelector<HTMLElement>('#since')?.focus();
      listed = since;
    }
    const found = await rowsOf(shown, momentTexts(all));
    if (turn === asked) rows.replaceChildren(...found);
  };
  const load = async (): Promise<void> => {
    const tables = await get<readonly TableInfo[]>('tables', runParams());
    const changes = tables.filter(({ kind }) => kind === 'changes').toSorted((one, other) => (one.file < other.file ? 1 : -1));
    const found: Changes[] = [];
    for (const table of changes) {
      setText(list, `Reading file ${found.length + 1} of ${changes.length}…`);
      found.push(await changesIn(table)); // one by one: the server keeps few files open
    }
    all = found;
    if (all.length === 0) list.append(noChanges(await get<RunState>('state', runParams())));
    await follow();
  };
  const fail = (error: unknown): void => showError(rows, error);
  const listen = (): void => void follow().catch(fail);
  load().catch(fail);
  addEventListener('hashchange', listen);
  return () => removeEventListener('hashchange', listen);
}

function noChanges({ command }: RunState): HTMLElement {
  const update = `${command.replace(/ --update(?= |$)/, '')} --update`;
  return h('p', { class: 'empty' }, 'No update has changed anything here yet. An update requests what is new, and lists what changed: ', h('code', {}, update)); // prettier-ignore
}

function runParams(): URLSearchParams {
  return new URLSearchParams({ run: address().params.get('run') ?? '' });
}

async function changesIn({ file, stage }: TableInfo): Promise<Changes> {
  const counts = await Promise.all(kindNames.map(async (kind) => (await changesOf(file, kind, 0)).total ?? 0));
  return { file, of: stage ?? file, moment: file.split('/')[1] ?? '', counts };
}

async function changesOf(file: string, kind: Kind, limit: number): Promise<RowsPart> {
  const params = runParams();
  for (const [name, value] of Object.entries({ file, f: filterText('is', 'change', kind), offset: '0', limit: String(limit) })) params.set(name, value); // prettier-ignore
  return getRows(params);
}

/** When updates began, in UTC, so that no two look alike. If a folder's name is no time, the name itself. */
function momentTexts(all: readonly Changes[]): (moment: string) => string {
  const timeOf = (moment: string): number => Date.parse(moment.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
  const text = times(all.map(({ moment }) => timeOf(moment)).filter((at) => !Number.isNaN(at)));
  return (moment) => (Number.isNaN(timeOf(moment)) ? moment : text(timeOf(moment)));
}

/** The choice of a first update, and the table of counts from it on. With several updates, their sum comes first. */
function listOf(all: readonly Changes[], shown: readonly Changes[]): readonly HTMLElement[] {
  const momentText = momentTexts(all);
  const moments = [...new Set(all.map(({ moment }) => moment))];
  const updates = new Set(shown.map(({ moment }) => moment)).size;
  const since = h('select', { id: 'since', change: () => go(hrefWith({ since: since.value, file: undefined, of: undefined })) }, h('option', { value: '' }, 'the first update'), ...moments.map((moment) => h('option', { value: moment }, momentText(moment)))); // prettier-ignore
  since.value = address().params.get('since') ?? '';
  const line = (
    title: string,
    of: string,
    counts: readonly number[],
    chosen: { readonly file?: string; readonly of?: string },
  ): HTMLElement => {
    const cells = counts.map((count, at) => {
      const text = formatCount(count);
      const href = hrefWith({ file: undefined, of: undefined, ...chosen, change: kindNames[at] });
      return h('td', { class: 'n' }, count === 0 ? text : h('a', { href }, text));
    });
    return h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, of), ...cells);
  };
  const stages = updates < 2 ? [] : [...new Set(shown.map(({ of }) => of))];
  const sums = stages.map((stage) => {
    const own = shown.filter(({ of }) => of === stage);
    const counts = kindNames.map((_, at) => own.reduce((sum, one) => sum + one.counts[at]!, 0));
    return line(`${updates} updates`, stage, counts, { of: stage });
  });
  const lines = shown.map(({ moment, of, counts, file }) => line(momentText(moment), of, counts, { file }));
  const head = ['update', 'rows of', ...Object.values(kinds)].map((name, at) =>
    h('th', { scope: 'col', class: at > 1 ? 'n' : undefined }, name),
  );
  const table = h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', { class: 'sums' }, ...sums), h('tbody', {}, ...lines));
  return [
    ...(moments.length < 2 ? [] : [h('div', { class: 'choice' }, h('label', { for: 'since' }, 'Since'), since)]),
    h('div', { class: 'scroll updates', tabindex: 0, role: 'group', 'aria-label': 'Updates' }, table),
    h('p', { class: 'mute' }, `Click a number to see its rows.${sums.length === 0 ? '' : ' A row that several updates changed counts once for each.'}`), // prettier-ignore
  ];
}

/** The first changes of the kind that the address names: of one update, or of all updates that are shown. */
async function rowsOf(shown: readonly Changes[], momentText: (moment: string) => string): Promise<readonly HTMLElement[]> {
  const { params, view } = address();
  const kind = (params.get('change') ?? '') as Kind;
  const chosen = shown.filter(({ file, of }) => file === params.get('file') || of === params.get('of'));
  if (view !== 'changes' || chosen.length === 0 || !Object.hasOwn(kinds, kind)) return [];
  const at = kindNames.indexOf(kind);
  const total = chosen.reduce((sum, { counts }) => sum + counts[at]!, 0);
  const elements: HTMLElement[] = [h('h2', {}, `${formatCount(total)} ${kinds[kind]} in ${chosen[0]!.of}`)];
  let left = shownRows;
  for (const { file, counts, moment } of chosen) {
    if (counts[at] === 0) continue;
    const { rows } = await changesOf(file, kind, left);
    left -= rows.length;
    for (const { n } of rows) {
      const query = runParams();
      query.set('file', file);
      query.set('n', String(n));
      const row = await get<{ readonly row?: object }>('row', query);
      const name = h('summary', {}, nameOf(row.row ?? {}));
      elements.push(h('details', { open: kind === 'changed' }, name, changeOf(row as { readonly [name: string]: unknown })));
    }
    const href = hrefOf('data', { file, f: [filterText('is', 'change', kind)] });
    elements.push(h('p', {}, h('a', { href }, `All ${formatCount(counts[at]!)} of ${momentText(moment)} as a table`)));
  }
  return elements;
}

/** The first texts of a row, to tell it from others. */
function nameOf(row: object): string {
  const texts = Object.values(row).filter((value): value is string => typeof value === 'string' && value !== '');
  return texts.slice(0, 2).map((text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)).join(' · ') || 'a row'; // prettier-ignore
}
