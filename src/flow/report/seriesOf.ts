import type { StageSeries } from '../../files/dataPackage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { rowSource } from '../state/FlowFiles.ts';
import { soughtFile, type FlowFolder } from '../state/FlowFolder.ts';
import type { SoughtLine } from '../state/failureOf.ts';
import { readRows } from '../state/readRows.ts';
import { numericFields } from '../update/mergeRows.ts';

/** So many numbers of a stage are shown, those that moved most … */
const maxFields = 3;
/** … over so many of the latest runs. */
const maxRuns = 60;

/** The figures of stages that keep the rows of all runs: how many rows, at which rank they were found, and the medians of their numbers. */
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
  const series = [...sought.medians(), { about: 'rows', points: rows.counts() }, ...rows.medians()];
  return series.filter(({ points }) => points.length > 1).map((one) => ({ stage: stage.name, ...one }));
}

/** Numbers by the run that saw them. */
class Figures {
  readonly #runs = new Map<string, { rows: number; readonly numbers: Map<string, number[]> }>();

  add(seenAt: unknown, numbers: readonly (readonly [field: string, value: number])[]): void {
    if (typeof seenAt !== 'string') return;
    let run = this.#runs.get(seenAt);
    if (run === undefined) this.#runs.set(seenAt, (run = { rows: 0, numbers: new Map() }));
    run.rows += 1;
    for (const [field, value] of numbers) {
      const values = run.numbers.get(field);
      if (values === undefined) run.numbers.set(field, [value]);
      else values.push(value);
    }
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
