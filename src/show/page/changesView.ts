import { rowText } from '../../../operators/kit/path.ts';
import type { ChangedRows, RunState, TableInfo } from '../api.ts';
import { countOf, formatCount } from '../../flow/report/format.ts';
import { readingOrder } from '../../flow/report/columnNames.ts';
import { filterText, go, hrefOf, hrefWith, address, runParams } from './address.ts';
import { h, scrollTable, setText } from './dom.ts';
import { changedCells } from './RowDialog.ts';
import { get } from './server.ts';
import { movedColumns } from '../data/changesOf.ts';
import { isNumberType } from '../data/filterKinds.ts';
import { showError, times } from './words.ts';

type Kind = keyof ChangedRows['counts'];
const moves: readonly Kind[] = ['rose', 'fell'];
const kinds: readonly Kind[] = ['new', 'changed', 'gone', ...moves];

/** The changes of one update in the rows of a stage. */
interface Changes {
  readonly table: TableInfo;
  /** The stage, or the file's name if the flow isn't known. */
  readonly of: string;
  /** When the update began, as its folder says. */
  readonly moment: string;
  readonly counts: ChangedRows['counts'];
}

/** Shows what updates have changed: the sum by stage, each update, and the first rows of the chosen updates. */
export function showChanges(element: HTMLElement): () => void {
  const list = h('div');
  const rows = h('section');
  element.append(h('h1', {}, 'Changes'), list, rows);
  let all: readonly Changes[] = [];
  let latest = 0;
  let listed: string | undefined; // since when
  const follow = async (): Promise<void> => {
    const turn = ++latest;
    const since = address().params.get('since') ?? '';
    const shown = all.filter(({ moment }) => moment >= since);
    if (all.length > 0 && since !== listed) {
      list.replaceChildren(...listOf(all, shown));
      if (listed !== undefined) list.querySelector<HTMLElement>('#since')?.focus();
      listed = since;
    }
    const found = await rowsOf(shown, momentTexts(all));
    if (turn === latest) rows.replaceChildren(...found);
  };
  const load = async (): Promise<void> => {
    const tables = await get<readonly TableInfo[]>('tables', runParams());
    const changes = tables.filter(({ kind }) => kind === 'changes').toSorted((one, other) => (one.file < other.file ? 1 : -1));
    const found: Changes[] = [];
    for (const table of changes) {
      setText(list, `Reading file ${found.length + 1} of ${changes.length}…`);
      const { counts } = await changedRows(table.file); // one by one: the server keeps few files open
      found.push({ table, of: table.stage ?? table.file, moment: table.file.split('/')[1] ?? '', counts });
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
  return h(
    'p',
    { class: 'empty' },
    'No update has changed anything here yet. An update requests what is new, and lists what changed: ',
    h('code', {}, update),
  );
}

function changedRows(file: string, change: string = '', without: readonly string[] = []): Promise<ChangedRows> {
  return get('changes', new URLSearchParams([...runParams({ file, change }), ...without.map((name) => ['without', name])]));
}

/** Writes when updates began, in UTC, precise enough that no two look the same. A folder's name that isn't a time stays as it is. */
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
  const since = h(
    'select',
    { id: 'since', change: () => go(hrefWith({ since: since.value, file: undefined, of: undefined })) },
    h('option', { value: '' }, 'the first update'),
    ...moments.map((moment) => h('option', { value: moment }, momentText(moment))),
  );
  since.value = address().params.get('since') ?? '';
  const columns = kinds.filter((kind) => !moves.includes(kind) || all.some(({ counts }) => counts[kind] > 0)); // only a series has moves
  const line = (
    title: string,
    of: string,
    counts: ChangedRows['counts'],
    chosen: { readonly file?: string; readonly of?: string },
  ): HTMLElement => {
    const cells = columns.map((kind) => {
      const text = formatCount(counts[kind]);
      const href = hrefWith({ file: undefined, of: undefined, without: undefined, ...chosen, change: kind });
      return h('td', { class: 'n' }, counts[kind] === 0 ? text : h('a', { href }, text));
    });
    return h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, of), ...cells);
  };
  const stages = updates < 2 ? [] : [...new Set(shown.map(({ of }) => of))];
  const sums = stages.map((stage) => {
    const sum = (kind: Kind): number => shown.reduce((total, { of, counts }) => total + (of === stage ? counts[kind] : 0), 0);
    const counts = { new: sum('new'), changed: sum('changed'), gone: sum('gone'), rose: sum('rose'), fell: sum('fell') };
    return line(`${updates} updates`, stage, counts, { of: stage });
  });
  const lines = shown.map(({ moment, of, counts, table }) => line(momentText(moment), of, counts, { file: table.file }));
  const head = ['update', 'rows of', ...columns].map((name, at) => h('th', { scope: 'col', class: at > 1 ? 'n' : undefined }, name));
  const table = h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', { class: 'sums' }, ...sums), h('tbody', {}, ...lines));
  return [
    ...(moments.length < 2 ? [] : [h('div', { class: 'choice' }, h('label', { for: 'since' }, 'Since'), since)]),
    h('div', { class: 'scroll updates', tabindex: 0, role: 'group', 'aria-label': 'Updates' }, table),
    h(
      'p',
      { class: 'mute' },
      `Click a number to see its rows.${sums.length === 0 ? '' : ' A row that several updates changed counts once for each.'}`,
    ),
  ];
}

/** The first changes of the kind that the address names: of one update, or of all updates that are shown. */
async function rowsOf(shown: readonly Changes[], momentText: (moment: string) => string): Promise<readonly HTMLElement[]> {
  const { params, view } = address();
  const kind = kinds.find((one) => one === params.get('change'));
  const chosen = shown.filter(({ table, of }) => table.file === params.get('file') || of === params.get('of'));
  if (view !== 'changes' || chosen.length === 0 || kind === undefined) return [];
  const without = params.getAll('without');
  const total = chosen.reduce((sum, { counts }) => sum + counts[kind], 0);
  const fields = new Map<string, number>();
  const tables: HTMLElement[] = [];
  for (const { table, counts, moment } of chosen) {
    if (counts[kind] === 0) continue;
    const found = await changedRows(table.file, kind, without);
    for (const { name, count } of found.fields) fields.set(name, (fields.get(name) ?? 0) + count);
    tables.push(
      ...(chosen.length > 1 ? [h('h3', {}, momentText(moment))] : []),
      found.rows.length === 0
        ? h('p', { class: 'mute' }, 'Nothing else changed.')
        : found.fields.length > 0
          ? changedTable(found, table)
          : rowTable(found, table),
      linkToAll(found, table, kind, counts[kind]),
    );
  }
  const choice = fields.size > 0 ? [fieldChoice(fields, without, total)] : [];
  return [h('h2', {}, `${formatCount(total)} ${kind} in ${chosen[0]!.of}`), ...choice, ...tables];
}

/** The fields that changed. A click leaves one out, or shows it again. */
function fieldChoice(fields: ReadonlyMap<string, number>, without: readonly string[], total: number): HTMLElement {
  const sorted = [...fields].toSorted(([, one], [, other]) => other - one);
  const links = sorted.map(([name, count]) => {
    const isOut = without.includes(name);
    const href = hrefWith({ without: isOut ? without.filter((one) => one !== name) : [...without, name] });
    const does = h('span', { class: 'hidden' }, isOut ? 'Show ' : 'Leave out ');
    const link = h('a', { href, title: `changed in ${countOf(count, 'row')}` }, does, name, ` ${formatCount(count)} `, isOut ? '+' : '✕');
    return h('li', { class: isOut ? 'out' : undefined }, link);
  });
  const often = sorted.flatMap(([name, count]) => (count * 2 > total && !without.includes(name) ? [name] : []));
  const all =
    often.length > 0 &&
    sorted.length > often.length &&
    h('p', {}, h('a', { href: hrefWith({ without: [...without, ...often] }) }, `Leave out what changes in most rows: ${often.join(', ')}`));
  return h('div', {}, h('ul', { class: 'chips fields-changed', 'aria-label': 'Fields that changed' }, ...links), all);
}

function changedTable({ rows }: ChangedRows, table: TableInfo): HTMLElement {
  const lines = rows.flatMap(({ n, row, was, fields }) =>
    fields.map((name, at) => {
      const head = at === 0 && h('th', { scope: 'rowgroup', rowspan: fields.length }, rowLink(row, n, table));
      return h('tr', {}, head, ...changedCells(name, was, row));
    }),
  );
  return withClass('changed', scrollTable('What changed', ['row', 'field', 'before', 'after'], Infinity, lines));
}

const fewColumns = 6;

/** Rows that are new or gone, with their first few columns. */
function rowTable({ rows }: ChangedRows, table: TableInfo): HTMLElement {
  const columns = columnsOf(table).filter(({ type }) => type !== 'json').slice(1, fewColumns); // prettier-ignore
  const lines = rows.map(({ n, row }) => {
    const cells = columns.map(({ name }) => h('td', {}, rowText(row, name).slice(0, 120)));
    return h('tr', {}, h('th', { scope: 'row' }, rowLink(row, n, table)), ...cells);
  });
  return withClass(
    'listed',
    scrollTable('Rows', [columnsOf(table)[0]?.name ?? 'row', ...columns.map(({ name }) => name)], Infinity, lines),
  );
}

function withClass(name: string, element: HTMLElement): HTMLElement {
  element.classList.add(name);
  return element;
}

function columnsOf({ columns }: TableInfo): TableInfo['columns'] {
  return readingOrder(columns.filter(({ name }) => !movedColumns.includes(name)));
}

/** A link to a row, named after the first text in it. */
function rowLink(row: object, n: number, table: TableInfo): HTMLElement {
  const documented = columnsOf(table)
    .filter((column) => !isNumberType(column.type))
    .map(({ name }) => rowText(row, name));
  const others = Object.values(row).filter((value) => typeof value === 'string');
  const name = [...documented, ...others].find((text) => text !== '') ?? `row ${n + 1}`;
  return h('a', { href: hrefOf('data', { file: table.file, row: String(n) }) }, h('bdi', {}, name.slice(0, 80)));
}

/** Says what isn't shown, and links to all of it. */
function linkToAll({ rows, leftOut }: ChangedRows, { file }: TableInfo, kind: Kind, count: number): HTMLElement {
  const filter = filterText('is', 'change', kind);
  const shown = rows.length + leftOut < count ? `The first ${formatCount(rows.length)} of ${formatCount(count)}. ` : '';
  const out = leftOut === 0 ? '' : `${countOf(leftOut, 'row')} left out, in which nothing else changed. `;
  return h(
    'p',
    { class: 'actions' },
    h('span', { class: 'mute' }, `${shown}${out}`),
    h('a', { href: hrefOf('data', { file, f: [filter] }) }, `All ${formatCount(count)} as a table`),
  );
}
