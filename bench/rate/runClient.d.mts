import type { Service } from './services.mjs';

/** When a request started, and how many were in flight then. */
export interface Trip {
  readonly startedAt: number;
  readonly inFlight: number;
}

export interface Setup {
  readonly service: Service;
  readonly pace: {
    waitMs(now: number, inFlight: number): number;
    started(now: number): void;
    succeeded(now: number, trip: Trip): void;
    throttled(now: number, trip: Trip, retryAfterMs: number | undefined): void;
  };
  /** Whether the service says how long to wait, in whole seconds. */
  readonly retryAfter: boolean;
  /** Whether that pauses the whole client, or just the one call. @default true */
  readonly pauses?: boolean;
  /** Whether a call keeps its place among `concurrency` while it waits for its retry. @default false */
  readonly holdsSlot?: boolean;
  readonly concurrency: number;
  readonly latencyMs: number;
  /** Share of the latency by which it varies, either way. @default 0.25 */
  readonly jitter?: number;
  /** The longest time to open a connection. The first requests open one each. @default 0 */
  readonly connectMs?: number;
  readonly untilMs: number;
  readonly seed: number;
}

export interface Outcome {
  readonly requests: number;
  readonly answered: number;
  /** Responses that refuse: 429, or what stands for it. */
  readonly throttled: number;
  /** Those of requests that were out when the first refusal came back. */
  readonly firstBurst: number;
  /** Calls that used up their five attempts. */
  readonly lost: number;
  /** Answered, of what the limit allows, or of what the concurrency can do where that is less. */
  readonly share: number;
  /** Share of the requests that were answered with 429. */
  readonly waste: number;
}

/**
 * A client that always has something to ask, admitting as the real one does: concurrency, pause, full jitter, five attempts.
 * Time jumps from event to event, so that half an hour takes no time and the same seed gives the same figures.
 */
export function runClient(setup: Setup): Outcome;
