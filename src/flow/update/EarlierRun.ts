import type { Flow, FlowStage } from '../definition/Flow.ts';
import { DigestMap, DigestSet, rowKey } from '../core/Dedup.ts';
import { rowSource } from '../state/FlowFiles.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { readWatermarks, digestOfUnless, watermarkKey, type KnownMarks, type Watermark } from '../core/NewestRows.ts';
import { readRows } from '../state/readRows.ts';
import type { BegunQuery } from '../core/Query.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { StepRow } from '../core/stepQuery.ts';
import { timeOfRow } from '../core/timeOfRow.ts';

/** The rows and watermarks of the run before an update. With them, the update finds what is new. */
export class EarlierRun {
  readonly walked: KnownMarks;
  /** When the update began, in milliseconds since 1970. */
  readonly #now: number;
  /** By stage, the keys of the known rows. If the stage has `seen`, with the time when each was first seen. */
  readonly #known: ReadonlyMap<string, DigestSet>;
  /** By stage with a series, the time of the latest rows. */
  readonly #last: ReadonlyMap<string, string>;

  private constructor(walked: KnownMarks, now: number, known: ReadonlyMap<string, DigestSet>, last: ReadonlyMap<string, string>) {
    this.walked = walked;
    this.#now = now;
    this.#known = known;
    this.#last = last;
  }

  /** `startedAt`: when the update began. `seenAt`: the time of its rows. */
  static async load(
    flow: Flow,
    folder: FlowFolder,
    { startedAt, seenAt }: { readonly startedAt: number; readonly seenAt: number },
  ): Promise<EarlierRun> {
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
    return new EarlierRun(await readWatermarks(folder), startedAt, known, last);
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

  /** Whether the update requests all rows of each query of a stage, and not only what is new. */
  isFull({ name, since }: FlowStage): boolean {
    return since === undefined || this.#now - (this.walked.full.get(name) ?? 0) >= since.fullEveryMs;
  }

  /** How far a query was walked before, so that the update can stop there. undefined: it walks the whole query. */
  watermarkOf(stage: FlowStage, params: QueryParams): Watermark | undefined {
    return this.isFull(stage) ? undefined : this.walked.watermarks.get(watermarkKey(stage, params));
  }

  /** From when on the service is asked for rows of a query. undefined: for all of them. */
  askedFrom(stage: FlowStage, params: QueryParams): number | undefined {
    if (stage.since?.serverFilter === undefined) return undefined;
    const time = this.watermarkOf(stage, params)?.time;
    return time === undefined ? undefined : time - stage.since.lookbackMs;
  }

  /** Whether a query can be skipped, because `unless` has the same value as before. */
  skips(stage: FlowStage, params: QueryParams, unless: string | undefined): boolean {
    const now = digestOfUnless(stage, unless);
    return now !== '' && this.watermarkOf(stage, params)?.unless === now;
  }

  /**
   * Whether a walk can stop, because older rows are known. The page must have rows from before the lookback. Either all of its rows are
   * known, or the rows before the lookback are and the page is in the order of time. `rows`: those of `items` that the stage writes.
   */
  reaches(stage: FlowStage, query: BegunQuery, items: readonly unknown[], rows: readonly StepRow[]): boolean {
    const { since } = stage;
    const known = this.#known.get(stage.name);
    const newest = this.watermarkOf(stage, query.params)?.time;
    if (since === undefined || since.serverFilter !== undefined || known === undefined || newest === undefined || query.skip > 0)
      return false;
    const times = items
      .filter((item) => typeof item === 'object' && item !== null)
      .map((item) => timeOfRow(since, item))
      .filter((time) => !Number.isNaN(time));
    // Only the end of a walk tells how many rows are missing.
    if (query.walk.gap && query.walk.claimed !== undefined) return false;
    const unknown = rows.filter(({ key }) => key !== undefined && !known.has(key)).map(({ row }) => timeOfRow(since, row));
    const reached = reachesKnown({ times, unknown }, newest - since.lookbackMs);
    return reached === 'in order' || (reached === 'in any order' && times.every((time) => time <= newest));
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

/** When a row was first seen, in milliseconds since 1970. 0: unknown. */
function firstSeenIn(row: { readonly first_seen?: unknown }): number {
  return typeof row.first_seen === 'string' ? Date.parse(row.first_seen) || 0 : 0;
}

/** A page of a walk that goes from the newest rows back. */
interface DatedPage {
  /** When its rows are from, in their order. Rows that don't say so are left out. */
  readonly times: readonly number[];
  /** When the rows are from that aren't known yet. NaN: it doesn't say. */
  readonly unknown: readonly number[];
}

/** Fewer rows than this may stand in order by chance. */
const minInOrder = 3;

/**
 * Whether a walk has reached known rows. The page must have a row from before `until`. Either all of its rows are known, or the rows before
 * `until` are and all rows are in the order of time. undefined: it has not.
 */
function reachesKnown({ times, unknown }: DatedPage, until: number): 'in order' | 'in any order' | undefined {
  if (!times.some((time) => time < until)) return undefined;
  const isOrdered = times.every((time, index) => index === 0 || time <= times[index - 1]!);
  if (unknown.length === 0) return isOrdered ? 'in order' : 'in any order';
  return isOrdered && times.length >= minInOrder && unknown.every((time) => time >= until) ? 'in order' : undefined;
}
