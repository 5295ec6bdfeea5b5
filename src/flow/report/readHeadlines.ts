import { ownValue } from '../../../operators/kit/ownValue.ts';
import { getOrInsert } from '../../../operators/kit/once.ts';
import { textOf, valueAt } from '../../../operators/kit/path.ts';
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
  /** What the lines go over, in its order. */
  readonly over: readonly string[];
  /** A value for each of it. null: there is none. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly more: number;
}

type Definition = Exclude<NonNullable<FlowDefinition['headline']>, readonly unknown[]>;
type Queries = Pick<QueriesView, 'empty' | 'failed' | 'open'>;

const [mostRows, mostLines, mostMaps, mostKeys] = [40, 8, 12, 100_000];
const seenAt = 'seen_at';
/** Columns in which less is better. */
const isRank = (column: string): boolean => /(^|[._])(rank|position)$/.test(column);

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

/** A table with a line for each value of `each`: the lowest number of `of` with its last change, or a share. Else `plainTable`. */
async function tableOf(
  { table, of, each, share }: Definition,
  stage: FlowStage,
  rows: AsyncIterable<object>,
  queries: Queries,
): Promise<Headline> {
  const names = listed(each);
  if (of === undefined && share === undefined) return plainTable(table!, names, stage, rows);
  const runs = new Map<string, Map<string, number>>(); // by run, then by line
  const parts = new Map<string, Set<string>>();
  const all = new Set<string>();
  const lines = new Map<string, readonly string[]>();
  for await (const row of rows) {
    const cells = names.map((name) => cellOf(row, name));
    const key = cells.join('\0');
    if (!lines.has(key) && lines.size === mostKeys) continue;
    lines.set(key, cells);
    if (share !== undefined) {
      const part = listed(share).map((name) => cellOf(row, name)).join('\0'); // prettier-ignore
      all.add(part);
      getOrInsert(parts, key, () => new Set()).add(part);
      continue;
    }
    const run = getOrInsert(runs, stage.series ? cellOf(row, seenAt) : '', () => new Map<string, number>());
    const value = numberIn(cellOf(row, of!));
    if (value !== undefined && value < (run.get(key) ?? Infinity)) run.set(key, value);
  }
  if (share !== undefined) {
    const sorted = [...lines].map(([key, cells]) => ({ cells, count: parts.get(key)!.size })).toSorted((a, b) => b.count - a.count);
    const shown = sorted.map(({ cells, count }) => [
      ...cells,
      formatShare(count / all.size),
      `${formatCount(count)} of ${formatCount(all.size)}`,
    ]);
    return cut(`${table}: share of ${listed(share).join(' and ')}`, [...names, 'share', 'found in'], 2, shown);
  }
  for (const kept of withoutRow(stage, queries)) {
    const cells = names.map((name) => cellOf(kept, name));
    if (cells.every((cell) => cell !== '')) lines.set(cells.join('\0'), cells);
  }
  const [last, before] = [...runs].toSorted(([one], [other]) => (one < other ? 1 : -1)).map(([, values]) => values);
  const value = (key: string, run = last): number | undefined => run?.get(key);
  const seen = [...lines].filter(
    ([key]) => value(key) !== undefined || value(key, before) !== undefined || !stage.series || withoutRow(stage, queries).length > 0,
  );
  const sorted = isRank(of!) ? seen.toSorted(([one], [other]) => (value(one) ?? Infinity) - (value(other) ?? Infinity)) : seen;
  const digits = mostDigits([last, before].flatMap((run) => [...(run?.values() ?? [])]));
  const shown = sorted.map(([key, cells]) => [
    ...cells,
    value(key) === undefined ? '–' : formatSum(value(key)!, digits, digits),
    ...(before === undefined ? [] : [changeText(value(key), value(key, before), isRank(of!), digits)]),
  ]);
  const columns = [...names, of!, ...(before === undefined ? [] : ['since the run before'])];
  return cut(table!, columns, before === undefined ? 1 : 2, shown);
}

/** A table of the first rows. If rows have `first_seen`, only those that are new in the last run, unless it is the first run. */
async function plainTable(file: string, each: readonly string[], stage: FlowStage, rows: AsyncIterable<object>): Promise<Headline> {
  const first: { readonly cells: readonly string[]; readonly seen: string }[] = [];
  const counts = new Map<string, number>(); // by the run that found them first
  let [count, last] = [0, ''];
  for await (const row of rows) {
    count += 1;
    const seen = stage.seen ? cellOf(row, 'first_seen') : '';
    counts.set(seen, (counts.get(seen) ?? 0) + 1);
    if (stage.seen && cellOf(row, 'last_seen') > last) last = cellOf(row, 'last_seen');
    if (first.length === mostRows && seen <= first.at(-1)!.seen) continue;
    first.push({ cells: each.map((name) => cellOf(row, name)), seen });
    first.sort((one, other) => (one.seen === other.seen ? 0 : one.seen < other.seen ? 1 : -1));
    first.length = Math.min(first.length, mostRows);
  }
  const found = counts.get(last) ?? 0;
  const table = { kind: 'table', columns: each, figures: 0 } as const;
  if (count > 0 && found === 0) return { ...table, title: `${file}: no row is new`, rows: [], more: 0 };
  if (!stage.seen || found === count)
    return { ...table, title: titleOf(file, count), rows: first.map(({ cells }) => cells), more: count - first.length };
  const news = first.filter(({ seen }) => seen === last).map(({ cells }) => cells);
  return { ...table, title: `${file}: ${countOf(found, 'new row')} of ${formatCount(count)}`, rows: news, more: found - news.length };
}

const titleOf = (title: string, rows: number): string => (rows === 0 ? `${title}: no rows` : title);

function cut(title: string, columns: readonly string[], figures: number, rows: readonly (readonly string[])[]): Headline {
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
async function seriesOf({ series, of, each, over = seenAt }: Definition, stage: FlowStage, rows: AsyncIterable<object>): Promise<Headline> {
  let lines = new Map<string, Map<string, number>>();
  let last = '';
  for await (const row of rows) {
    const run = stage.series && over !== seenAt ? cellOf(row, seenAt) : '';
    if (run < last) continue; // the runs may stand in any order
    if (run > last) lines = new Map();
    last = run;
    const [at, value] = [cellOf(row, over), numberIn(cellOf(row, of!))];
    if (at === '' || value === undefined) continue;
    const line = getOrInsert(
      lines,
      listed(each)
        .map((name) => cellOf(row, name))
        .join(', '),
      () => new Map<string, number>(),
    );
    line.set(at, Math.min(value, line.get(at) ?? Infinity));
  }
  const all = [...new Set([...lines.values()].flatMap((line) => [...line.keys()]))].toSorted((one, other) =>
    numberOr(one, other) ? Number(one) - Number(other) : one < other ? -1 : 1,
  );
  return {
    kind: 'series',
    title: `${series}: ${of}${over === seenAt ? ' from run to run' : ` by ${over}`}`,
    over: all,
    lines: [...lines]
      .slice(0, mostLines)
      .map(([name, line]) => ({ name: name === '' ? of! : name, values: all.map((at) => line.get(at) ?? null) })),
    more: Math.max(0, lines.size - mostLines),
  };
}

const numberOr = (one: string, other: string): boolean => one !== '' && other !== '' && !Number.isNaN(Number(one) + Number(other));

/** The rows as points, a map for each value of `each`. At a point that several have, the lowest number counts. */
async function mapsOf(
  { map, of, each }: Definition,
  flow: Flow,
  stage: FlowStage,
  rows: AsyncIterable<object>,
  queries: Queries,
): Promise<readonly Headline[]> {
  const [latitude, longitude] = stage.grid === undefined ? coordinatesIn(flow, stage, map!) : pointColumns;
  const maps = new Map<string, Map<string, Extract<Headline, { kind: 'map' }>['points'][number]>>();
  const add = (row: object, value: string): void => {
    const [lat, lon] = [latitude, longitude].map((column) => cellOf(row, column));
    if (lat === '' || lon === '' || Number.isNaN(Number(lat) + Number(lon))) return;
    const points = getOrInsert(maps, listed(each).map((name) => cellOf(row, name)).join(', '), () => new Map()); // prettier-ignore
    const at = `${lat} ${lon}`;
    const before = points.get(at)?.value ?? '';
    if (before !== '' && (value === '' || !(Number(value) < Number(before)))) return;
    points.set(at, { latitude: Number(lat), longitude: Number(lon), value: value === '' ? null : value });
  };
  let kept: { readonly row: object; readonly value: string }[] = [];
  let last = '';
  for await (const row of rows) {
    const run = stage.series ? cellOf(row, seenAt) : '';
    if (run < last) continue;
    if (run > last) kept = [];
    last = run;
    if (kept.length < mostKeys) kept.push({ row, value: cellOf(row, of!) });
  }
  for (const point of pointsWithoutRow(stage, queries)) add(point, '');
  for (const { row, value } of kept) add(row, value);
  return [...maps]
    .slice(0, mostMaps)
    .map(([name, points]) => ({ kind: 'map', title: name === '' ? map! : `${map}, ${name}`, by: of!, points: [...points.values()] }));
}

/** The columns of a file that say where a row is. */
function coordinatesIn(flow: Flow, stage: FlowStage, file: string): readonly [latitude: string, longitude: string] {
  const names = (columnsOfStage(flow, stage, file) ?? []).map(({ path }) => path);
  const latitude = names.find((name) => /(^|\.)(lat|latitude)$/i.test(name)) ?? 'latitude';
  const longitude = names.find((name) => /(^|\.)(lon|lng|longitude)$/i.test(name)) ?? 'longitude';
  return [latitude, longitude];
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

function cellOf(row: object, name: string): string {
  const own = ownValue(row, name);
  return textOf(own === undefined ? valueAt(row, name) : own);
}

/** The number in a text: 440 of `440 USD`, 1234.5 of `$1,234.50` and of `1.234,50 €`. undefined: there is none. */
export function numberIn(text: string): number | undefined {
  const [digits] = /-?\d[\d.,'  ]*/.exec(text) ?? [];
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
