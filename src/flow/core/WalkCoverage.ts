import { madeIn } from '../../../operators/kit/once.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { digestOf, queryKey, type BegunQuery } from './Query.ts';
import { timeOf, valuesAt } from '../../../operators/kit/valuesAt.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { DigestSet } from './Dedup.ts';
import type { SinceEnd } from './events.ts';
import { readRows } from '../state/readRows.ts';

/** How far an update has walked the queries to which a row belongs. */
export interface Extent {
  /** Back to this time. -Infinity: to the end. Infinity: nothing is known of its rows. */
  readonly time: number;
  /** How many of their earlier rows can be gone, by the service's own numbers. Infinity: there are none. */
  readonly gone: number;
  /** The keys of their watermarks. */
  readonly watermarks: readonly bigint[];
}

/** How a walk ended. */
interface WalkEnd extends SinceEnd {
  readonly claim: readonly [got: number, claimed: number] | undefined;
  readonly isShort: boolean;
  readonly isCapped: boolean;
}

/** Rows that weren't found may still exist. */
const nothingKnown: Extent = { time: Infinity, gone: Infinity, watermarks: [] };

/** To the end of every query. */
export const everything: Extent = { time: -Infinity, gone: Infinity, watermarks: [] };

/**
 * How far the queries of stages with `since` were walked, for the next update (watermarks) and for this one (extents). A row that
 * lies in an extent and wasn't found is gone. A row belongs to the queries whose parameters its kept columns repeat; without such
 * columns, to any query.
 */
export class WalkCoverage {
  /** By the identity of the query. */
  readonly watermarks: Map<bigint, Watermark> = new Map();
  /** Queries with a watermark that are still there: found, or skipped. */
  readonly current: DigestSet = new DigestSet();
  /** Queries that keep a watermark where it is. */
  private readonly held = new Map<bigint, Set<number>>();
  /** Stages of which only what changed was requested. */
  readonly parts: Set<string> = new Set();
  private readonly extents = new Map<bigint, { time: number; gone: number; readonly watermarks: bigint[] }>();
  /** How many rows came to queries whose watermark stays where it was. */
  private readonly added = new Map<bigint, number>();

  found(stage: FlowStage, params: QueryParams): void {
    if (stage.since !== undefined) this.current.add(watermarkKey(stage, params));
  }

  /** Rows of this query that weren't found may still exist. */
  lose(stage: FlowStage, params: QueryParams): void {
    if (stage.since !== undefined) this.note(stage, params, nothingKnown);
  }

  /** A query has failed: its rows may still exist, and its watermark stays. */
  fail(stage: FlowStage, query: BegunQuery): void {
    if (stage.since === undefined) return;
    this.lose(stage, query.params);
    const key = watermarkKey(stage, query.params);
    if (stage.since.asks === undefined) this.grow(key, query);
    else this.hold(key, query.number);
  }

  /** A query has ended. */
  end(stage: FlowStage, query: BegunQuery, { claim, isShort, isCapped, marked, reached, gone, full }: WalkEnd): void {
    const key = watermarkKey(stage, query.params);
    if (stage.since?.asks !== undefined) {
      if (reached === null) this.parts.add(stage.name);
      this.endPart(stage, query, marked && !isShort && query.growth?.isApart !== true, full);
    } else if (query.growth?.isApart === true || isShort) this.watermarks.set(key, toTheEnd);
    else if (marked) {
      // The next update counts from the claimed number if the walk reached its end.
      const rows = reached === undefined ? claim?.[1] : claim?.[0];
      this.watermarks.set(key, { time: query.growth?.newest, unless: shortOf(stage, query.unless), rows });
    } else this.grow(key, query);
    if (isCapped || isShort || reached === null) this.lose(stage, query.params);
    else this.note(stage, query.params, { time: reached ?? -Infinity, gone: gone ?? Infinity, watermarks: [key] });
  }

  /**
   * A query of a service that is asked for what changed has ended. Its rows come in any order, so only a walk that was whole moves the
   * watermark. A query that is divided has one, which moves when all of its pieces were whole.
   */
  private endPart(stage: FlowStage, query: BegunQuery, isWhole: boolean, full: number | undefined): void {
    const key = watermarkKey(stage, query.params);
    if (!isWhole) return this.hold(key, query.number);
    this.held.get(key)?.delete(query.number);
    const newest = query.growth?.newest;
    if (newest === undefined) return;
    const time = Math.max(newest, this.watermarks.get(key)?.time ?? -Infinity);
    this.watermarks.set(key, { time, unless: shortOf(stage, query.unless), rows: undefined, full });
  }

  private hold(key: bigint, query: number): void {
    madeIn(this.held, key, () => new Set()).add(query);
  }

  /** The watermarks after this run. `before`: those of the run before. */
  after(before: Iterable<readonly [bigint, Watermark]>): ReadonlyMap<bigint, Watermark> {
    const all = new Map(before);
    for (const [key, added] of this.added) {
      const watermark = all.get(key);
      if (watermark?.rows !== undefined) all.set(key, { ...watermark, rows: watermark.rows + added });
    }
    for (const [key, watermark] of this.watermarks) if ((this.held.get(key)?.size ?? 0) === 0) all.set(key, watermark);
    return all;
  }

  /**
   * The walk that would have found a row, the same one for all its rows. undefined: none. `all`: every query was walked, so
   * that a row that belongs to none of them would have been found too.
   */
  over(stage: FlowStage, row: object, all: boolean): Extent | undefined {
    const key = keyOf(
      stage,
      stage.owners.map(({ column }) => valuesAt(row, column)[0]),
    );
    const walk = this.extents.get(key);
    if (stage.owners.length === 0 && (!all || walk === undefined)) return undefined;
    if (walk === undefined) return all ? everything : undefined;
    return walk.time === -Infinity || timeOf(row, stage.since!.field) > walk.time ? walk : undefined;
  }

  /** The next update finds the rows that this one added among those that it knows. */
  private grow(key: bigint, { growth }: BegunQuery): void {
    if (growth !== undefined && growth.added > 0) this.added.set(key, growth.added);
  }

  private note(stage: FlowStage, params: QueryParams, { time, gone, watermarks }: Extent): void {
    const key = keyOf(
      stage,
      stage.owners.map(({ param }) => ownValue(params, param)),
    );
    const walk = madeIn(this.extents, key, () => ({ time: -Infinity, gone: 0, watermarks: [] }));
    walk.time = Math.max(walk.time, time);
    walk.gone += gone;
    if (walk.gone !== Infinity) walk.watermarks.push(...watermarks);
  }
}

function keyOf({ name }: FlowStage, values: readonly unknown[]): bigint {
  return digestOf(JSON.stringify([name, ...values.map(String)]));
}

/** The file with the watermarks of finished runs. */
export const watermarksFile = '.trawler/watermarks.jsonl';

/** How far a query was walked. */
export interface Watermark {
  /** The time of its newest row. undefined: an update walks the whole query. */
  readonly time: number | undefined;
  /** The digest of the value that `unless` read. */
  readonly unless: string;
  /** The number of its rows, if known. */
  readonly rows: number | undefined;
  /** When all of its rows were requested the last time, where the service may be asked for less. */
  readonly full?: number | undefined;
}

/** An update walks the query to its end. */
export const toTheEnd: Watermark = { time: undefined, unless: '', rows: undefined };

/** The identity of a query across runs, without what moves on. */
export function watermarkKey(stage: FlowStage, params: QueryParams): bigint {
  return digestOf(queryKey(stage, params, stage.moving));
}

export async function readWatermarks(folder: FlowFolder): Promise<ReadonlyMap<bigint, Watermark>> {
  const watermarks = new Map<bigint, Watermark>();
  for await (const { row } of readRows(folder, watermarksFile)) {
    const [key, time, unless, rows, full] = row as unknown as readonly [string, number | null, string, (number | null)?, number?];
    watermarks.set(BigInt(`0x${key}`), { time: time ?? undefined, unless, rows: rows ?? undefined, full });
  }
  return watermarks;
}

/** At most 64 bytes per query. */
export function* watermarkLines(watermarks: Iterable<readonly [bigint, Watermark]>): Generator<string, void, undefined> {
  for (const [key, { time, unless, rows, full }] of watermarks) {
    const line = [
      key.toString(16),
      time ?? null,
      unless,
      ...(full === undefined ? (rows === undefined ? [] : [rows]) : [rows ?? null, full]),
    ];
    yield `${JSON.stringify(line)}\n`;
  }
}

/** A short digest of the value that `unless` reads. '' if there is none. */
export function shortOf({ since }: FlowStage, text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return digestOf(`${since?.unless?.path}=${text}`).toString(36).slice(0, 8);
}
