import { reachesKnown } from '../../../operators/untilKnown.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { DigestMap, DigestSet, rowKey } from '../core/Dedup.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { toTheEnd, watermarkKey, readWatermarks, shortOf, type Watermark } from '../core/WalkCoverage.ts';
import { readRows } from '../state/readRows.ts';
import type { FlowView } from '../core/FlowState.ts';
import type { BegunQuery } from '../core/Query.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { StepRow } from '../core/stepQuery.ts';
import { timeOf } from '../../../operators/kit/valuesAt.ts';

/** What a page of an update brings. */
interface PageAdded {
  /** Rows that weren't there before, and those of them that are older than the watermark. */
  readonly added: number;
  readonly late: number;
  /** Rows that are newer than the watermark, and that the stage's conditions leave out. */
  readonly leftOut?: number;
  /** Present where the walk may stop: it has had everything back to this time; null: its rows aren't in order. */
  readonly reached?: number | null;
}

/** The run before an update: when it began, its root queries, and the root stages that had lost some. */
interface RunBefore {
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly roots: FlowView['roots'];
  readonly strayed: readonly string[];
}

/** The rows and watermarks of the previous run. An update uses it to find what is new. */
export class EarlierRun {
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly watermarks: ReadonlyMap<bigint, Watermark>;
  readonly #run: RunBefore;
  /** By stage, the rows that there are; with the time when each was first seen, where the stage says that. */
  readonly #known: ReadonlyMap<string, DigestSet>;

  /** What its queries came to that looked for a row. */
  /** In how many answers each row was. */
  /** By stage with a series, the time of the latest rows. */
  readonly #last: ReadonlyMap<string, string>;

  private constructor(
    run: RunBefore,
    watermarks: ReadonlyMap<bigint, Watermark>,
    known: ReadonlyMap<string, DigestSet>,
    last: ReadonlyMap<string, string>,
  ) {
    this.startedAt = run.startedAt;
    this.#run = run;
    this.watermarks = watermarks;
    this.#known = known;
    this.#last = last;
  }

  /** `seenAt`: the time of the rows of the update. */
  static async load(flow: Flow, folder: FlowFolder, run: RunBefore, seenAt: number): Promise<EarlierRun> {
    const known = new Map<string, DigestSet>();
    for (const stage of flow.stages.filter(({ since, seen }) => since !== undefined || seen)) {
      const source = rowSource(flow, stage);
      const rows = stage.seen ? new DigestMap() : new DigestSet();
      known.set(stage.name, rows);
      if (source === undefined) continue;
      for await (const { row } of readRows(folder, source)) {
        const key = rowKey(stage, stage.key, row);
        if (rows instanceof DigestMap) rows.set(key, firstSeenIn(row));
        else rows.add(key);
      }
    }
    const last = new Map<string, string>();
    for (const stage of flow.stages)
      if (stage.series) last.set(stage.name, await lastSeenIn(folder, rowSource(flow, stage), new Date(seenAt).toISOString()));
    return new EarlierRun(run, await readWatermarks(folder), known, last);
  }

  /**
   * Root stages that had queries in this run, or in one before it, which an update with these `roots` hasn't. Nobody knows which rows are
   * theirs, so that a row that isn't found may be one of those.
   */
  strayedFrom(roots: FlowView['roots']): readonly string[] {
    const { roots: before, strayed } = this.#run;
    const isStray = (name: string, own: DigestSet): boolean => strayed.includes(name) || before.get(name)?.isWithin(own) === false;
    return Array.from(roots).flatMap(([name, own]) => (isStray(name, own as DigestSet) ? [name] : []));
  }

  /** The time of the latest rows of a series before this run. */
  lastSeen(stage: FlowStage): string | undefined {
    return this.#last.get(stage.name);
  }

  firstSeen(stage: FlowStage, key: bigint): string | undefined {
    const rows = this.#known.get(stage.name);
    const time = rows instanceof DigestMap ? rows.get(key) : undefined;
    return time === undefined || time === 0 ? undefined : new Date(time).toISOString();
  }

  watermarkOf(stage: FlowStage, params: QueryParams): Watermark | undefined {
    return this.watermarks.get(watermarkKey(stage, params));
  }

  /** From when on the service is asked for rows of a query. undefined: for all of them. */
  askedFrom(stage: FlowStage, params: QueryParams, now: number): number | undefined {
    const { asks, lookbackMs } = stage.since ?? {};
    if (asks === undefined) return undefined;
    const { time, full = 0 } = this.watermarkOf(stage, params) ?? toTheEnd;
    return time === undefined || now - full >= asks.fullEveryMs ? undefined : time - lookbackMs!;
  }

  /** Whether a query can be skipped, because `unless` has the same value as before. */
  skips(stage: FlowStage, params: QueryParams, unless: string | undefined): boolean {
    const now = shortOf(stage, unless);
    return now !== '' && this.watermarkOf(stage, params)?.unless === now;
  }

  /**
   * What is new on a page. The walk may stop where the page reaches back behind the lookback, and all of its rows are known,
   * or those behind the lookback are and they stand in the order of time. `rows`: those of its `items` that the stage writes. `newIds`:
   * those that this run hasn't, if the query is walked again; others were counted before.
   */
  compare(
    stage: FlowStage,
    query: BegunQuery,
    items: readonly unknown[],
    rows: readonly StepRow[],
    newIds: ReadonlySet<number> | undefined,
  ): PageAdded | undefined {
    const { since } = stage;
    const known = this.#known.get(stage.name);
    if (since === undefined || known === undefined || query.skip > 0) return undefined;
    const newRows = rows.filter(({ key }) => key !== undefined && !known.has(key));
    const addedRows = newRows.filter(({ id }) => newIds === undefined || id === undefined || newIds.has(id));
    const newest = this.watermarkOf(stage, query.params)?.time;
    if (newest === undefined) return { added: addedRows.length, late: 0 };
    const late = addedRows.filter(({ row }) => timeOf(row, since.field) <= newest).length;
    const isNewer = (item: unknown): boolean => typeof item === 'object' && item !== null && timeOf(item, since.field) > newest;
    const leftOut =
      stage.where.length === 0 || newIds !== undefined ? 0 : items.filter(isNewer).length - rows.filter(({ row }) => isNewer(row)).length;
    const added = { added: addedRows.length, late, leftOut: Math.max(0, leftOut) };
    if (since.asks !== undefined) return added;
    const times = items
      .filter((item) => typeof item === 'object' && item !== null)
      .map((item) => timeOf(item, since.field))
      .filter((time) => !Number.isNaN(time));
    // A query that is walked again for rows that are missing isn't in the order of time.
    if (query.repeat !== undefined) return added;
    // Only the end of a walk tells how many rows are missing: here, known ones that are gone would make up for new ones on a page that came empty.
    if (query.walk.gap && query.walk.claimed !== undefined) return added;
    const unknown = newRows.map(({ row }) => timeOf(row, since.field));
    const reached = reachesKnown({ times, unknown }, newest - since.lookbackMs);
    if (reached === undefined || (reached === 'in any order' && times.some((time) => time > newest))) return added;
    const isCut = items.length > stage.limit - query.walk.items; // a row beyond the limit isn't gone
    return { ...added, reached: reached === 'in order' && !isCut ? Math.min(...times) : null };
  }
}

/** The latest `seen_at` of a file before `now`. '' if it has no rows. */
async function lastSeenIn(folder: FlowFolder, source: string | undefined, now: string): Promise<string> {
  let last = '';
  if (source !== undefined)
    for await (const { row } of readRows(folder, source)) {
      const { seen_at } = row as { readonly seen_at?: unknown };
      if (typeof seen_at === 'string' && seen_at > last && seen_at < now) last = seen_at;
    }
  return last;
}

/** In milliseconds since 1970; 0: it doesn't say. */
function firstSeenIn(row: { readonly first_seen?: unknown }): number {
  return typeof row.first_seen === 'string' ? Date.parse(row.first_seen) || 0 : 0;
}
