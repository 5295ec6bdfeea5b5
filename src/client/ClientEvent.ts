import type { WalkEvent } from '../../operators/PageFactory.ts';
import type { TrawlerError } from '../errors/index.ts';

interface Base {
  readonly operation: string;
  readonly query: object;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The part of the pipe, where `named` gave it a name. */
  readonly part?: string | undefined;
  /** What the page is for: the stage of a flow. */
  readonly label?: string | undefined;
  /** The pages of one query of a flow have the same number. */
  readonly walk?: number | undefined;
}

/** What a client does, as it does it. Narrow by `type`. */
export type ClientEvent =
  /** A request goes out. `attempt` counts from 1; `id` is the same for all attempts of one call. */
  | (Base & { readonly type: 'request'; readonly id: number; readonly attempt: number })
  /** A whole page has come. */
  | (Base & {
      readonly type: 'answer';
      readonly id: number;
      readonly attempt: number;
      readonly status: number;
      readonly ms: number;
      /** Of the body, decompressed. */
      readonly bytes: number;
      readonly items: number;
      readonly requestId: string;
    })
  /** A whole page came from the store, without a request. `storedAt`: when its response came, in milliseconds since 1970. */
  | (Base & {
      readonly type: 'hit';
      readonly id: number;
      readonly storedAt: number;
      readonly bytes: number;
      readonly items: number;
      readonly requestId: string;
    })
  /** The store has something to say: a damaged response, a folder that can't be written, a walk that had to begin anew. */
  | (Base & { readonly type: 'store'; readonly message: string })
  /** An attempt failed and there will be another after `delayMs`. */
  | (Base & {
      readonly type: 'retry';
      readonly id: number;
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: TrawlerError;
    })
  /** A call failed for good. */
  | (Base & { readonly type: 'failure'; readonly id: number; readonly attempt: number; readonly error: TrawlerError })
  /** The service said 429, or asked for a pause. */
  | (Base & {
      readonly type: 'throttle';
      readonly status: number;
      /** How long the whole client pauses; 0: it doesn't. */
      readonly pauseMs: number;
      /** The rate from now on, in requests a second; undefined: no limit is known. */
      readonly rate: number | undefined;
    })
  /** An answer isn't shaped as documented. `raw` is the row that was set aside, where one was. */
  | (Base & { readonly type: 'drift'; readonly issues: readonly DriftIssue[]; readonly setAside: number; readonly raw?: unknown })
  /** The answer holds rows in a list that nobody reads. */
  | (Base & { readonly type: 'unread'; readonly list: string; readonly items: number })
  /** A walk was cut short by a limit. */
  | (Extract<WalkEvent, { readonly type: 'truncated' }> & Base)
  /** A fan-out made no query for this operation out of any of its rows. */
  | (Extract<WalkEvent, { readonly type: 'unused' }> & Base)
  /** A walk ended with fewer rows than the service claims. */
  | (Extract<WalkEvent, { readonly type: 'short' }> & Base)
  /**
   * A request is let go although something nearer to the sink holds, because nothing on its way has moved for a while:
   * `path` names what is on it, from the request to the sink, and `holder` what holds.
   */
  | (Base & { readonly type: 'stalled'; readonly path: readonly string[]; readonly holder: string })
  /** The hard budget is used up. */
  | (Base & { readonly type: 'budget'; readonly maxRequests: number })
  /** An operation's health is another than before. */
  | { readonly type: 'health'; readonly operation: string; readonly at: number; readonly from: HealthState; readonly to: HealthState };

export interface DriftIssue {
  readonly path: string;
  readonly message: string;
}

/** The service's own words. */
export type HealthState = 'Healthy' | 'Available Limited' | 'Mostly unavailable' | 'No data' | 'Loading';
