import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { CallState } from './Explanation.ts';
import type { ErrorDetails, TrawlerError } from '../../errors/index.ts';

/** Creates the error of a task that will not be sent, from the task's own details. */
export type Refusal = (details: ErrorDetails & { readonly operation: string }) => TrawlerError;

/** One request to send, as the admission sees it. The admission owns the fields that change. */
export interface Task {
  readonly node: DemandNode | undefined;
  /** Distance from the sink; smaller goes first. */
  readonly depth: number;
  /** Order among tasks of one depth; smaller goes first. */
  order: number;
  /** Its index in the heap, or -1. */
  index: number;
  /** The node where it is parked. */
  parked: DemandNode | undefined;
  /** It may go although a node on its path holds, because everything stood still. */
  letGo?: true | undefined;
  /** Its request is in flight. */
  readonly inFlight: boolean;
  /** Whether its page is for `holder`. If not, the holder may be waiting for it, so it isn't held. */
  leadsTo?(holder: DemandNode): boolean;
  /** What it does and waits for. `queued` says what queued tasks wait for. */
  explain?(now: number, queued: string): CallState | undefined;
  /** It is released although `holder` still holds. */
  stalled?(holder: DemandNode): void;
  /** May send now. */
  admit(): void;
  /** Ends it with an error and drops its request in flight. */
  refuse(refusal: Refusal): void;
}
