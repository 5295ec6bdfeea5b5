import { madeIn } from '../../../operators/kit/once.ts';
import type { StageSeries } from '../../files/dataPackage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import { sharesFile, soughtFile, type FlowFolder } from '../state/FlowFolder.ts';
import type { SoughtLine } from '../state/failureOf.ts';
import type { ShareLine } from '../state/shareLines.ts';
import { readRows } from '../state/readRows.ts';
import { numericFields } from '../update/mergeRows.ts';

/** So many numbers of a stage are shown, those that moved most … */
const maxFields = 3;
/** … over so many of the latest runs. */
const maxRuns = 60;

/** The figures of stages that keep the rows of all runs: how many rows, at which rank they were found, in which share of the answers they were, and the medians of their numbers. */
export async function seriesOf(flow: Flow, folder: FlowFolder): Promise<readonly StageSeries[]> {
  const all: StageSeries[] = [];
  for (const stage of flow.stages) if (stage.series) all.push(...(await seriesOfStage(flow, stage, folder)));
  return all;
}

async function seriesOfStage(flow: Flow, stage: FlowStage, folder: FlowFolder): Promise<readonly StageSeries[]> {
  const rows = new Figures();
  const source = rowSource(flow, stage);
  if (source !== undefined)
    for await (const { row } of readRows(folder, source)) rows.add((row as { readonly seen_at?: unknown }).seen_at, numericFields(row));
  const sought = new Figures();
  for await (const { row } of readRows(folder, soughtFile)) {
    const { stage: of, seen_at, rank } = row as SoughtLine;
    if (of === stage.name) sought.add(seen_at, rank === null ? [] : [['rank', rank]]);
  }
  const shares = stage.repeat === undefined ? [] : await sharesOf(stage, folder);
  const series = [...sought.medians(), ...shares, { about: 'rows', points: rows.counts() }, ...rows.medians()];
  const isFirst = (about: string, at: number): boolean => series.findIndex((one) => one.about === about) === at; // the rank looked for comes first
  return series.filter(({ about, points }, at) => points.length > 1 && isFirst(about, at)).map((one) => ({ stage: stage.name, ...one }));
}

/** The shares of the rows that the latest answers had most often. */
async function sharesOf({ name }: FlowStage, folder: FlowFolder): Promise<readonly Pick<StageSeries, 'about' | 'points'>[]> {
  const runs = new Map<string, Map<string, number>>();
  for await (const { row } of readRows(folder, sharesFile)) {
    const { stage, seen_at, row: key, query, share } = row as ShareLine;
    if (stage !== name) continue;
    if (!runs.has(seen_at)) runs.set(seen_at, new Map());
    runs.get(seen_at)!.set(`share of ${Object.values(key).join(' ')} in ${Object.values(query).join(' ')}`, share);
  }
  const latest = [...runs].toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(-maxRuns);
  const most = [...(latest.at(-1)?.[1] ?? [])].toSorted(([, one], [, other]) => other - one).slice(0, maxFields);
  return most.map(([about]) => ({ about, points: latest.map(([seenAt, shares]) => ({ seenAt, value: shares.get(about) ?? 0 })) }));
}

/** Numbers by the run that saw them. */
class Figures {
  readonly #runs = new Map<string, { rows: number; readonly numbers: Map<string, number[]> }>();

  add(seenAt: unknown, numbers: readonly (readonly [field: string, value: number])[]): void {
    if (typeof seenAt !== 'string') return;
    const run = madeIn(this.#runs, seenAt, () => ({ rows: 0, numbers: new Map<string, number[]>() }));
    run.rows += 1;
    for (const [field, value] of numbers) madeIn(run.numbers, field, () => []).push(value);
  }

  counts(): StageSeries['points'] {
    return this.#latest().map(([seenAt, { rows }]) => ({ seenAt, value: rows }));
  }

  /** The medians of the numbers that moved most. */
  medians(): readonly Pick<StageSeries, 'about' | 'points'>[] {
    const runs = this.#latest();
    const fields = [...new Set(runs.flatMap(([, { numbers }]) => [...numbers.keys()]))];
    const all = fields.map((field) => {
      const points = runs.flatMap(([seenAt, { numbers }]) =>
        numbers.has(field) ? [{ seenAt, value: medianOf(numbers.get(field)!) }] : [],
      );
      const values = points.map(({ value }) => value);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      return { about: `median of ${field}`, points, moved: (most - least) / Math.max(Math.abs(most), Math.abs(least), Number.MIN_VALUE) };
    });
    const moved = all.filter(({ moved }) => moved > 0).toSorted((one, other) => other.moved - one.moved);
    return moved.slice(0, maxFields).map(({ about, points }) => ({ about, points }));
  }

  #latest(): readonly (readonly [seenAt: string, run: { readonly rows: number; readonly numbers: ReadonlyMap<string, number[]> }])[] {
    return [...this.#runs].toSorted(([one], [other]) => (one < other ? -1 : 1)).slice(-maxRuns);
  }
}

function medianOf(values: number[]): number {
  values.sort((one, other) => one - other);
  const middle = (values.length - 1) / 2;
  return (values[Math.floor(middle)]! + values[Math.ceil(middle)]!) / 2;
}
