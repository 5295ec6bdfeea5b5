import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { CallState } from './Explanation.ts';
import type { ErrorDetails, TrawlerError } from '../../errors/index.ts';

/** Makes the error of a task that will not be sent, from what the task knows of itself. */
export type Refusal = (details: ErrorDetails & { readonly operation: string }) => TrawlerError;

/** Something that wants to send one request, as the admission sees it. The admission owns the fields that change. */
export interface Task {
  readonly node: DemandNode | undefined;
  /** Distance from the sink; smaller goes first. */
  readonly depth: number;
  /** Among tasks of one depth; smaller goes first. */
  order: number;
  /** Where it is in the heap; -1: not there. */
  index: number;
  /** The node that it is parked at. */
  parked: DemandNode | undefined;
  /** It may go although its way to the sink is held: everything stood still. */
  letGo?: true | undefined;
  /** A request of it is out. */
  readonly inFlight: boolean;
  /** Whether its page is for `holder`. Another one may be what the holder waits for, so it isn't held. */
  leadsTo?(holder: DemandNode): boolean;
  /** What it does and waits for; `queued` says what those in the queue wait for. */
  explain?(now: number, queued: string): CallState | undefined;
  /** It goes although `holder` still holds. */
  stalled?(holder: DemandNode): void;
  /** May send now. */
  admit(): void;
  /** Ends it with an error; what is out is given up. */
  refuse(refusal: Refusal): void;
}
