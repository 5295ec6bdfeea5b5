import type { QueryParams } from '../definition/flowFormat.ts';
import type { WalkState } from '../../../operators/walk/WalkState.ts';
import type { RowPlaces } from '../../../operators/split/RowPlaces.ts';
import type { TileState } from '../split/StageSplit.ts';
import type { KeptColumns } from './bindQueries.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import { hash } from 'node:crypto';

/** A stage with one query, and the progress of its walk. */
export interface StageQuery {
  /** Numbers queries in the order they were found. */
  readonly number: number;
  readonly stage: string;
  readonly params: QueryParams;
  readonly kept: KeptColumns | undefined;
  /** The query whose row led to it. None for a root. */
  readonly parent: Lineage | undefined;
  readonly walk: WalkState<QueryParams>;
  /** The number of rows claimed by the row that led to it. */
  readonly claimed?: number | undefined;
  /** Its area, for a stage that covers an area. */
  readonly tile?: TileState | undefined;
  /** Where the rows of its pages so far lie, for a piece of a range. */
  readonly places?: RowPlaces | undefined;
  /** What `unless` of its stage looks at. */
  readonly unless?: string | undefined;
  /** What updates need to know of its rows so far. */
  readonly growth?: QueryGrowth | undefined;
  /** It ended with too few rows and is repeated from the start. */
  readonly rewalk?: Rewalk | undefined;
  /** The path of the job that the service works on for its next page. */
  readonly job?: string | undefined;
  /** So many of the next pages were delivered before. They only lead on. */
  readonly delivered?: number | undefined;
  /** It started over, because the service counts its pages: those of a store would leave the count behind. */
  readonly counted?: true | undefined;
}

export interface QueryGrowth {
  /** The time of the newest row. */
  readonly newest?: number | undefined;
  /** How many rows an update found that weren't there before. */
  readonly added?: number | undefined;
  /** Some pages are much older than others, so rows may have moved from one to another: the next update walks all of it. */
  readonly apart?: true | undefined;
}

/** Repeated walks that look for missing rows. */
export interface Rewalk {
  /** The order of this walk, from the operation's orders. 0: the query's own. */
  readonly order: number;
  /** Consecutive walks without a new row. */
  readonly idle: number;
  /** New rows of this walk, and of all walks. */
  readonly added: number;
  readonly gained: number;
}

export interface Lineage {
  readonly stage: string;
  readonly params: QueryParams;
  /** The query of the page with the row. */
  readonly page: QueryParams;
  readonly parent: Lineage | undefined;
}

/** A query as it is found, before it has a number. */
export interface FoundQuery {
  readonly stage: string;
  readonly params: QueryParams;
  readonly kept: KeptColumns | undefined;
  /** The number of rows claimed by its row. */
  readonly claimed?: number | undefined;
  readonly tile?: TileState | undefined;
  /** What `unless` of its stage looks at. */
  readonly unless?: string | undefined;
}

/** The orders in which the pages of a query can be read, its own first. */
export function ordersOf({ orders, operation }: FlowStage, params: QueryParams): readonly (string | undefined)[] {
  if (orders === undefined) return [undefined];
  const own = ownValue(params, orders.param) ?? operation.params[orders.param]?.default;
  return [undefined, ...orders.values.filter((value) => value !== own)];
}

/** The parameters of a query in one of its orders. */
export function inOrder(stage: FlowStage, params: QueryParams, order: number): QueryParams {
  const value = ordersOf(stage, params)[order];
  return value === undefined || stage.orders === undefined ? params : { ...params, [stage.orders.param]: value };
}

/**
 * A text that is the same for the same stage and query, whatever the order of parameters. Values that a ready-made fan-out
 * adds to its ids don't count.
 */
export function queryKey({ name: stage, fanOut }: Pick<FlowStage, 'name' | 'fanOut'>, params: QueryParams): string {
  const { by } = fanOut ?? {};
  const counts = (param: string): boolean => by === undefined || by.includes(param) || !Object.hasOwn(fanOut!.with, param);
  return canonicalJson([
    stage,
    ...Object.keys(params)
      .filter(counts)
      .sort()
      .flatMap((name) => [name, params[name]]),
  ]);
}

/** 64 bits of a text's SHA-256. The chance of a collision among a million texts is 1 in 30 million. */
export function digestOf(text: string): bigint {
  // As text whose characters are the bytes: a Buffer would take four times as long.
  const bytes = hash('sha256', text, 'binary');
  return (BigInt(wordAt(bytes, 4)) << 32n) | BigInt(wordAt(bytes, 0));
}

function wordAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  return (low | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}
