import type { RowsPart, RunState, TableInfo } from '../api.ts';
import { formatCount } from '../../flow/report/format.ts';
import { filterText, hrefOf, address } from './address.ts';
import { h } from './dom.ts';
import { changeOf } from './RowDialog.ts';
import { get, getRows } from './server.ts';
import { showError } from './words.ts';

const kinds = { added: 'new', changed: 'changed', gone: 'gone' } as const;
type Kind = keyof typeof kinds;
const shownRows = 20;

/** What updates have changed: for each update and stage the new, changed and gone rows, and of those chosen the first ones. */
export function showChanges(element: HTMLElement): () => void {
  const list = h('div');
  const rows = h('section');
  element.append(h('h1', {}, 'Changes'), list, rows);
  let tables: readonly TableInfo[] = [];
  const follow = (): void => void showRows(rows, tables).catch((error: unknown) => showError(rows, error));
  const load = async (): Promise<void> => {
    const all = await get<readonly TableInfo[]>('tables', runParams());
    tables = all.filter(({ kind }) => kind === 'changes').toSorted((one, other) => (one.file < other.file ? 1 : -1));
    if (tables.length === 0) list.append(noChanges(await get<RunState>('state', runParams())));
    else list.append(await countsTable(tables));
    follow();
  };
  load().catch((error: unknown) => showError(list, error));
  addEventListener('hashchange', follow);
  return () => removeEventListener('hashchange', follow);
}

function noChanges({ command }: RunState): HTMLElement {
  const update = `${command.replace(/ --(update|show)(?= |$)/g, '')} --update`;
  return h('p', { class: 'empty' }, 'No update has changed anything here yet. An update requests what is new, and lists what changed: ', h('code', {}, update)); // prettier-ignore
}

function runParams(): URLSearchParams {
  return new URLSearchParams({ run: address().params.get('run') ?? '' });
}

async function countsTable(tables: readonly TableInfo[]): Promise<HTMLElement> {
  const lines = await Promise.all(
    tables.map(async ({ file, stage }) => {
      const counts = await Promise.all(Object.keys(kinds).map((kind) => countOf(file, kind as Kind)));
      const cells = counts.map((count, at) => {
        const kind = Object.keys(kinds)[at]!;
        const text = formatCount(count);
        return h('td', { class: 'n' }, count === 0 ? text : h('a', { href: hrefOf('changes', { file, change: kind }) }, text));
      });
      const [, moment = ''] = file.split('/');
      return h('tr', {}, h('th', { scope: 'row', class: 'nowrap' }, moment.replace(/T(\d\d)-(\d\d).*/, ' $1:$2')), h('td', {}, stage ?? file), ...cells); // prettier-ignore
    }),
  );
  const head = ['update', 'rows of', ...Object.values(kinds)].map((name, at) =>
    h('th', { scope: 'col', class: at > 1 ? 'n' : undefined }, name),
  );
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Updates' }, h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...lines))); // prettier-ignore
}

async function countOf(file: string, kind: Kind): Promise<number> {
  return (await changesOf(file, kind, 0)).total ?? 0;
}

async function changesOf(file: string, kind: Kind, limit: number): Promise<RowsPart> {
  const params = runParams();
  for (const [name, value] of Object.entries({ file, f: filterText('is', 'change', kind), offset: '0', limit: String(limit) })) params.set(name, value); // prettier-ignore
  return getRows(params);
}

/** The first changes of the kind that the address names. */
async function showRows(element: HTMLElement, tables: readonly TableInfo[]): Promise<void> {
  const { params, view } = address();
  const kind = (params.get('change') ?? '') as Kind;
  const table = tables.find(({ file }) => file === params.get('file'));
  element.replaceChildren();
  if (view !== 'changes' || table === undefined || !Object.hasOwn(kinds, kind)) return;
  const { rows, total = 0 } = await changesOf(table.file, kind, shownRows);
  const all = hrefOf('data', { file: table.file, f: [filterText('is', 'change', kind)] });
  element.append(h('h2', {}, `${formatCount(total)} ${kinds[kind]} in ${table.stage ?? table.file}`));
  for (const { n } of rows) {
    const query = runParams();
    query.set('file', table.file);
    query.set('n', String(n));
    const row = await get<{ readonly row?: object }>('row', query);
    element.append(
      h(
        'details',
        { open: kind === 'changed' },
        h('summary', {}, nameOf(row.row ?? {})),
        changeOf(row as { readonly [name: string]: unknown }),
      ),
    );
  }
  element.append(h('p', {}, h('a', { href: all }, `All ${formatCount(total)} as a table`)));
}

/** The first texts of a row, to tell it from others. */
function nameOf(row: object): string {
  const texts = Object.values(row).filter((value): value is string => typeof value === 'string' && value !== '');
  return texts.slice(0, 2).map((text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)).join(' · ') || 'a row'; // prettier-ignore
}
