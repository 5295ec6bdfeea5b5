import { getOrInsert } from '../../../operators/kit/once.ts';
import { rowText } from '../../../operators/kit/path.ts';
import type { QueriesView } from '../core/Queries.ts';
import type { SummaryTable } from '../run/FlowProgress.ts';
import { columnsOfStage } from '../definition/columnsOfStage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { type FlowDefinition, listed } from '../definition/flowFormat.ts';
import { bindQueries, keptColumns } from '../query/bindQueries.ts';
import { pointColumns } from '../split/gridParam.ts';
import { rowSource } from '../state/FlowFiles.ts';
import { type ReadFolder, readRows, readTextRows } from '../state/readRows.ts';
import { countOf, formatCount, formatShare, formatSum } from './format.ts';
import { coordinatesIn, isRank } from './columnNames.ts';

/** The result of a flow's `headline`: a table, a series or a map. */
export type Headline = HeadlineTable | HeadlineSeries | ({ readonly kind: 'map' } & RowMap);

/** Rows on a map, coloured and labelled by a column. */
export interface RowMap {
  readonly title: string;
  readonly by: string;
  /** null: nothing was found there. */
  readonly points: readonly { readonly latitude: number; readonly longitude: number; readonly value: string | null }[];
}

export interface HeadlineTable extends SummaryTable {
  readonly kind: 'table';
}

export interface HeadlineSeries {
  readonly kind: 'series';
  readonly title: string;
  /** The values of the horizontal axis, in order. */
  readonly over: readonly string[];
  /** A value for each of `over`. null: there is none. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly more: number;
}

type Definition = Exclude<NonNullable<FlowDefinition['headline']>, readonly unknown[]>;
type Queries = Pick<QueriesView, 'empty' | 'failed' | 'open'>;

const [mostRows, mostLines, mostMaps, mostKeys] = [40, 8, 12, 100_000];
const seenAt = 'seen_at';

/** What the headlines of a flow say, from the rows in its folder, whichever run wrote them. */
export async function readHeadlines(flow: Flow, folder: ReadFolder, queries: Queries): Promise<readonly Headline[]> {
  const found: Headline[] = [];
  const { headline = [] } = flow.definition;
  for (const one of Array.isArray(headline) ? (headline as readonly Definition[]) : [headline as Definition]) {
    const file = one.table ?? one.series ?? one.map!;
    const stage = flow.stages.find(({ outputs }) => outputs.includes(file));
    if (stage === undefined) continue; // the folder may be that of an older flow
    const rows = rowsOf(flow, stage, file, folder);
    if (one.table !== undefined) found.push(await tableOf(one, stage, rows, queries));
    else if (one.series !== undefined) found.push(await seriesOf(one, stage, rows));
    else found.push(...(await mapsOf(one, flow, stage, rows, queries)));
  }
  return found;
}

async function* rowsOf(flow: Flow, stage: FlowStage, file: string, folder: ReadFolder): AsyncGenerator<object, void, undefined> {
  const source = rowSource(flow, stage);
  if (source === undefined) yield* readTextRows(stage, folder, file);
  else for await (const { row } of readRows(folder, source)) yield row;
}

/** A table with a line for each value of `each`: a number or a share, with its last change. Else `plainTable`. */
async function tableOf(definition: Definition, stage: FlowStage, rows: AsyncIterable<object>, queries: Queries): Promise<Headline> {
  const { of, average, share } = definition;
  if (share !== undefined) return shareTable(definition, stage, rows);
  return of === undefined && average === undefined ? plainTable(definition, stage, rows) : numberTable(definition, stage, rows, queries);
}

const sinceBefore = 'since the run before';
const runOf = (stage: FlowStage, row: object): string => (stage.series ? rowText(row, seenAt) : '');

/** The runs, the latest first. */
function latestFirst<T>(runs: ReadonlyMap<string, T>): readonly (T | undefined)[] {
  return [...runs].toSorted(([one], [other]) => (one < other ? 1 : -1)).map(([, run]) => run);
}

/** In how many values of `share` the latest run has each line. */
async function shareTable({ table, title = table!, each, share }: Definition, stage: FlowStage, rows: AsyncIterable<object>) {
  const names = listed(each);
  const runs = new Map<string, { readonly all: Set<string>; readonly parts: Map<string, Set<string>> }>();
  const lines = new Map<string, readonly string[]>();
  for await (const row of rows) {
    const run = getOrInsert(runs, runOf(stage, row), () => ({ all: new Set<string>(), parts: new Map<string, Set<string>>() }));
    const part = listed(share).map((name) => rowText(row, name)).join('\0'); // prettier-ignore
    run.all.add(part);
    const cells = names.map((name) => rowText(row, name));
    const key = cells.join('\0');
    if (!lines.has(key) && lines.size === mostKeys) continue;
    lines.set(key, cells);
    getOrInsert(run.parts, key, () => new Set()).add(part);
  }
  const [last, before] = latestFirst(runs);
  const count = (key: string, run: typeof last): number => run?.parts.get(key)?.size ?? 0;
  const percent = (key: string, run: typeof last): number => Math.round((1000 * count(key, run)) / run!.all.size) / 10;
  const seen = [...lines].filter(([key]) => count(key, last) + count(key, before) > 0);
  const shown = seen
    .toSorted(([one], [other]) => count(other, last) - count(one, last))
    .map(([key, cells]) => [
      ...cells,
      formatShare(count(key, last) / last!.all.size),
      `${formatCount(count(key, last))} of ${formatCount(last!.all.size)}`,
      ...(before === undefined ? [] : [pointsText(percent(key, last) - percent(key, before))]),
    ]);
  const columns = [...names, 'share', 'found in', ...(before === undefined ? [] : [sinceBefore])];
  return tableOfLines(title, columns, columns.length - names.length, shown);
}

/** The lowest number of `of`, or the average, in the latest run, and its change. */
async function numberTable(
  { table, title = table!, of, average, each }: Definition,
  stage: FlowStage,
  rows: AsyncIterable<object>,
  queries: Queries,
): Promise<Headline> {
  const [names, column] = [listed(each), of ?? average!];
  const runs = new Map<string, Map<string, { readonly least: number; readonly sum: number; readonly count: number }>>(); // by run and line
  const lines = new Map<string, readonly string[]>();
  const units = new Set<string>();
  for await (const row of rows) {
    const cells = names.map((name) => rowText(row, name));
    const key = cells.join('\0');
    if (!lines.has(key) && lines.size === mostKeys) continue;
    lines.set(key, cells);
    const run = getOrInsert(runs, runOf(stage, row), () => new Map());
    const text = rowText(row, column);
    const value = numberIn(text);
    if (value === undefined) continue;
    units.add(unitIn(text));
    const { least, sum, count } = run.get(key) ?? { least: Infinity, sum: 0, count: 0 };
    run.set(key, { least: Math.min(least, value), sum: sum + value, count: count + 1 });
  }
  for (const kept of withoutRow(stage, queries)) {
    const cells = names.map((name) => rowText(kept, name));
    if (cells.every((cell) => cell !== '')) lines.set(cells.join('\0'), cells);
  }
  const [last, before] = latestFirst(runs);
  const value = (key: string, run: typeof last): number | undefined => {
    const numbers = run?.get(key);
    if (numbers === undefined || of !== undefined) return numbers?.least;
    return Math.round((100 * numbers.sum) / numbers.count) / 100;
  };
  const seen = [...lines].filter(
    ([key]) => value(key, last) !== undefined || value(key, before) !== undefined || !stage.series || withoutRow(stage, queries).length > 0,
  );
  const place = (key: string): number => value(key, last) ?? Infinity;
  const sorted = isRank(column) ? seen.toSorted(([one], [other]) => place(one) - place(other)) : seen;
  const digits = mostDigits(seen.flatMap(([key]) => [value(key, last) ?? 0, value(key, before) ?? 0]));
  const shown = sorted.map(([key, cells]) => [
    ...cells,
    value(key, last) === undefined ? '–' : formatSum(value(key, last)!, digits, digits),
    ...(average === undefined ? [] : [formatCount(last?.get(key)?.count ?? 0)]),
    ...(before === undefined ? [] : [changeText(value(key, last), value(key, before), isRank(column), digits)]),
  ]);
  const columns = [
    ...names,
    `${average === undefined ? '' : 'average '}${column}${unitText(units)}`,
    ...(average === undefined ? [] : [stage.grid === undefined ? 'rows' : 'points where found']),
    ...(before === undefined ? [] : [sinceBefore]),
  ];
  return tableOfLines(title, columns, columns.length - names.length, shown);
}

/** The first rows. Where rows say when they were seen first, those that the last run found, if it is not the first one. */
async function plainTable({ table, title = table!, each }: Definition, stage: FlowStage, rows: AsyncIterable<object>): Promise<Headline> {
  const first: { readonly cells: readonly string[]; readonly seen: string; readonly time: string }[] = []; // the latest first
  const counts = new Map<string, number>(); // by the run that found them first
  let [count, last] = [0, ''];
  for await (const row of rows) {
    count += 1;
    const cells = listed(each).map((name) => rowText(row, name));
    const seen = stage.seen ? rowText(row, 'first_seen') : '';
    counts.set(seen, (counts.get(seen) ?? 0) + 1);
    if (stage.seen && rowText(row, 'last_seen') > last) last = rowText(row, 'last_seen');
    const time = stage.seen ? (cells.find((cell) => /^\d{4}-\d\d-\d\d/.test(cell)) ?? '') : '';
    const end = first.length === mostRows ? first.at(-1) : undefined;
    if (end !== undefined && (downwards(end.seen, seen) || downwards(end.time, time)) <= 0) continue;
    first.push({ cells, seen, time });
    first.sort((one, other) => downwards(one.seen, other.seen) || downwards(one.time, other.time));
    first.length = Math.min(first.length, mostRows);
  }
  const added = counts.get(last) ?? 0;
  const figures = { kind: 'table', columns: listed(each), figures: 0 } as const;
  if (count > 0 && added === 0) return { ...figures, title: `${title}: no row is new`, rows: [], more: 0 };
  const isUpdate = added < count;
  const shown = isUpdate ? first.filter(({ seen }) => seen === last) : first;
  const words = isUpdate ? `${title}: ${countOf(added, 'new row')} of ${formatCount(count)}` : titleOf(title, count);
  return { ...figures, title: words, rows: shown.map(({ cells }) => cells), more: (isUpdate ? added : count) - shown.length };
}

const downwards = (one: string, other: string): number => (one === other ? 0 : one < other ? 1 : -1);

const titleOf = (title: string, rows: number): string => (rows === 0 ? `${title}: no rows` : title);

function tableOfLines(title: string, columns: readonly string[], figures: number, rows: readonly (readonly string[])[]): Headline {
  return {
    kind: 'table',
    title: titleOf(title, rows.length),
    columns,
    figures,
    rows: rows.slice(0, mostRows),
    more: Math.max(0, rows.length - mostRows),
  };
}

/**
 * A line for each value of `each`, with the lowest number of `of` at each value of `over`. Over anything but runs, only the last run
 * counts.
 */
async function seriesOf(
  { series, title = series!, of, each, over = seenAt }: Definition,
  stage: FlowStage,
  rows: AsyncIterable<object>,
): Promise<Headline> {
  let lines = new Map<string, Map<string, number>>();
  const units = new Set<string>();
  let [last, isLowest] = ['', false];
  for await (const row of rows) {
    const run = stage.series && over !== seenAt ? rowText(row, seenAt) : '';
    if (run < last) continue; // the runs may stand in any order
    if (run > last) lines = new Map();
    last = run;
    const [at, text] = [rowText(row, over), rowText(row, of!)];
    const value = numberIn(text);
    if (at === '' || value === undefined) continue;
    units.add(unitIn(text));
    const line = getOrInsert(
      lines,
      listed(each)
        .map((name) => rowText(row, name))
        .join(', '),
      () => new Map<string, number>(),
    );
    isLowest ||= line.has(at);
    line.set(at, Math.min(value, line.get(at) ?? Infinity));
  }
  const all = [...new Set([...lines.values()].flatMap((line) => [...line.keys()]))].toSorted((one, other) =>
    areNumbers(one, other) ? Number(one) - Number(other) : one < other ? -1 : 1,
  );
  return {
    kind: 'series',
    title: `${title}: ${isLowest ? 'lowest ' : ''}${of}${unitText(units)} ${over === seenAt ? 'from run to run' : `by ${over}`}`,
    over: all,
    lines: [...lines]
      .slice(0, mostLines)
      .map(([name, line]) => ({ name: name === '' ? of! : name, values: all.map((at) => line.get(at) ?? null) })),
    more: Math.max(0, lines.size - mostLines),
  };
}

const areNumbers = (one: string, other: string): boolean => one !== '' && other !== '' && !Number.isNaN(Number(one) + Number(other));

/** The rows as points, a map for each value of `each`. At a point that several have, the lowest number counts. */
async function mapsOf(
  { map, title = map!, of, each }: Definition,
  flow: Flow,
  stage: FlowStage,
  rows: AsyncIterable<object>,
  queries: Queries,
): Promise<readonly Headline[]> {
  const columns = (columnsOfStage(flow, stage, map) ?? []).map(({ path }) => path);
  const [latitude, longitude] = stage.grid === undefined ? (coordinatesIn(columns) ?? ['latitude', 'longitude']) : pointColumns;
  const maps = new Map<string, Map<string, Extract<Headline, { kind: 'map' }>['points'][number]>>();
  const cellsOf = (row: object): readonly string[] => listed(each).map((name) => rowText(row, name));
  const add = (row: object, value: string, name = cellsOf(row).join(', ')): void => {
    const [lat, lon] = [latitude, longitude].map((column) => rowText(row, column));
    if (lat === '' || lon === '' || Number.isNaN(Number(lat) + Number(lon))) return;
    const points = getOrInsert(maps, name, () => new Map());
    const at = `${lat} ${lon}`;
    const before = points.get(at)?.value ?? '';
    if (before !== '' && (value === '' || !(Number(value) < Number(before)))) return;
    points.set(at, { latitude: Number(lat), longitude: Number(lon), value: value === '' ? null : value });
  };
  let kept: { readonly row: object; readonly value: string }[] = [];
  let last = '';
  for await (const row of rows) {
    const run = stage.series ? rowText(row, seenAt) : '';
    if (run < last) continue;
    if (run > last) kept = [];
    last = run;
    if (kept.length < mostKeys) kept.push({ row, value: rowText(row, of!) });
  }
  const named = new Map(kept.map(({ row }) => [cellsOf(row).join(', '), cellsOf(row)]));
  for (const point of pointsWithoutRow(stage, queries)) {
    // nothing was found there, so the point knows a part of the name only
    const cells = cellsOf(point);
    const names = [...named].filter(([, full]) => cells.every((cell, index) => cell === '' || cell === full[index]));
    for (const name of names.length > 0 ? names.map(([name]) => name) : [cells.filter((cell) => cell !== '').join(', ')])
      add(point, '', name);
  }
  for (const { row, value } of kept) add(row, value);
  return [...maps]
    .slice(0, mostMaps)
    .map(([name, points]) => ({ kind: 'map', title: name === '' ? title : `${title}, ${name}`, by: of!, points: [...points.values()] }));
}

/** What the queries keep that have no row, or not the one that they looked for. */
function withoutRow({ name }: FlowStage, { empty }: Queries): readonly object[] {
  return [...empty.values()].flatMap(({ stage, kept }) => (stage === name && kept !== undefined ? [kept] : []));
}

/** All points of a grid, except those whose query failed or is open. Only if the stage runs over no other stage or file. */
function pointsWithoutRow(stage: FlowStage, { failed, open }: Queries): readonly object[] {
  if (stage.grid === undefined || stage.parents.length > 0 || stage.seeds !== undefined) return [];
  const others = [...Array.from(failed.values(), ({ query }) => query), ...open.values()].filter((query) => query.stage === stage.name);
  const unknown = new Set(others.map(({ kept }) => JSON.stringify(kept)));
  return Array.from(bindQueries(stage, {}), (params) => keptColumns(stage, {}, params)!).filter(
    (kept) => !unknown.has(JSON.stringify(kept)),
  );
}

/** `+12.5 points`, of a percentage. */
function pointsText(by: number): string {
  return by === 0 ? 'same' : `${by < 0 ? '−' : '+'}${formatSum(Math.abs(by), 0, 1)} points`;
}

/** How many digits stand behind the point, at most two: all numbers of a column have as many. */
function mostDigits(numbers: readonly number[]): number {
  return numbers.reduce((most, one) => Math.max(most, Math.min(2, String(one).split('.')[1]?.length ?? 0)), 0);
}

/** `up 2`, for a rank. `+3.5`, for other numbers. */
function changeText(now: number | undefined, before: number | undefined, ofRank: boolean, digits: number): string {
  if (before === undefined) return now === undefined ? '' : 'new';
  if (now === undefined) return 'gone';
  const by = now - before;
  if (by === 0) return 'same';
  const size = formatSum(Math.abs(by), digits, digits);
  if (ofRank) return `${by < 0 ? 'up' : 'down'} ${size}`;
  return `${by < 0 ? '−' : '+'}${size}`;
}

const numberPart = /-?\d[\d.,'  ]*/;

/** What stands around the number in a text: USD of `440 USD`. */
function unitIn(text: string): string {
  return text.replace(numberPart, '').trim();
}

/** The unit of a column, if all of its numbers have the same. */
function unitText(units: ReadonlySet<string>): string {
  const [unit = ''] = units;
  return units.size > 1 || unit === '' ? '' : ` (${unit})`;
}

/** The number in a text: 440 of `440 USD`, 1234.5 of `$1,234.50` and of `1.234,50 €`. undefined: there is none. */
export function numberIn(text: string): number | undefined {
  const [digits] = numberPart.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const plain = digits.replaceAll(/['  ]/g, '').replace(/[.,]$/, '');
  const point = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','));
  const others = plain.slice(0, Math.max(0, point)).search(/[.,]/);
  // A single comma before three digits separates thousands. A single point doesn't: programs write 1.234 so.
  const isThousands = point >= 0 && plain.length - point === 4 && (plain[point] === ',' || (others >= 0 && plain[others] === plain[point]));
  const whole =
    point < 0 || isThousands ? plain.replaceAll(/[.,]/g, '') : `${plain.slice(0, point).replaceAll(/[.,]/g, '')}.${plain.slice(point + 1)}`;
  const value = Number(whole);
  return Number.isFinite(value) ? value : undefined;
}
