import type { WalkEvent } from '../../operators/PageFactory.ts';
import type { TrawlerError } from '../errors/index.ts';

interface Base {
  readonly operation: string;
  readonly query: object;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The part of the pipe, if `named` gave it a name. */
  readonly part?: string | undefined;
  /** The purpose of the page: the stage of a flow. */
  readonly label?: string | undefined;
  /** The pages of one query of a flow have the same number. */
  readonly walk?: number | undefined;
}

/** An event of a client. Narrow by `type`. */
export type ClientEvent =
  /** A request is sent. `attempt` counts from 1. `id` is the same for all attempts of one call. */
  | (Base & { readonly type: 'request'; readonly id: number; readonly attempt: number })
  /** A complete page arrived. */
  | (Base & {
      readonly type: 'response';
      readonly id: number;
      readonly attempt: number;
      readonly status: number;
      readonly ms: number;
      /** Size of the body, decompressed. */
      readonly bytes: number;
      readonly items: number;
      readonly requestId: string;
    })
  /** A complete page was read from the store, without a request. `storedAt`: when its response arrived, in milliseconds since 1970. */
  | (Base & {
      readonly type: 'hit';
      readonly id: number;
      readonly storedAt: number;
      readonly bytes: number;
      readonly items: number;
      readonly requestId: string;
    })
  /** A notice from the store: a damaged response, a folder that can't be written, a walk that had to start again. */
  | (Base & { readonly type: 'store'; readonly message: string })
  /** An attempt failed. The next one starts after `delayMs`. */
  | (Base & {
      readonly type: 'retry';
      readonly id: number;
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: TrawlerError;
    })
  /** A call failed and won't be retried. */
  | (Base & { readonly type: 'failure'; readonly id: number; readonly attempt: number; readonly error: TrawlerError })
  /** The service refused because of its limit, or asked for a pause. */
  | (Base & {
      readonly type: 'throttle';
      readonly status: number;
      /** How long the whole client pauses. 0 for no pause. */
      readonly pauseMs: number;
      /** The rate from now on, in requests per second. Undefined if no limit is known. */
      readonly rate: number | undefined;
    })
  /**
   * Nobody gets through: at least three requests in a row failed. `tooLong`: for longer than `retry.outageMs`, so all waiting calls
   * fail. `over`: a request got through. `lastedMs`: for how long nothing has got through.
   */
  | (Base & { readonly type: 'outage'; readonly state: 'begun' | 'tooLong' | 'over'; readonly lastedMs: number })
  /** A header about the service's limit says what can't be true, so it is ignored. Told once for each header. */
  | (Base & { readonly type: 'ignored'; readonly header: string; readonly value: string })
  /** A response doesn't match the documented shape. `raw` is the skipped row, if any. */
  | (Base & { readonly type: 'drift'; readonly issues: readonly DriftIssue[]; readonly setAside: number; readonly raw?: unknown })
  /** The response has rows in a list that is not read. */
  | (Base & { readonly type: 'unread'; readonly list: string; readonly items: number })
  /** A limit ended a walk early. */
  | (Extract<WalkEvent, { readonly type: 'truncated' }> & Base)
  /** A fan-out made no query for this operation from any of its rows. */
  | (Extract<WalkEvent, { readonly type: 'unused' }> & Base)
  /** A page of a walk seems to lack rows. */
  | (Extract<WalkEvent, { readonly type: 'suspect' }> & Base)
  /** A walk ended with fewer rows than the service claims. */
  | (Extract<WalkEvent, { readonly type: 'short' }> & Base)
  /**
   * A request is released although something nearer to the sink is full, because nothing on its path has moved for a
   * while. `path` names the parts of its path, from the request to the sink. `holder` names the part that is full.
   */
  | (Base & { readonly type: 'stalled'; readonly path: readonly string[]; readonly holder: string })
  /** The hard budget is used up. */
  | (Base & { readonly type: 'budget'; readonly maxRequests: number })
  /** An operation's health changed. */
  | { readonly type: 'health'; readonly operation: string; readonly at: number; readonly from: HealthState; readonly to: HealthState };

export interface DriftIssue {
  readonly path: string;
  readonly message: string;
}

/** The service's own term. */
export type HealthState = 'Healthy' | 'Available Limited' | 'Mostly unavailable' | 'No data' | 'Loading';
