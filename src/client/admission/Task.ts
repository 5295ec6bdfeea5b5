import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { LimitGroup } from './LimitGroups.ts';
import type { ErrorDetails, TrawlerError } from '../../errors/index.ts';

/** Requests of one operation on one path that are in the same state. */
export interface Explanation {
  readonly operation: string;
  /** The parts on the path from these requests to the sink, nearest to the requests first. */
  readonly path: readonly string[];
  readonly state: 'in flight' | 'waits';
  /** What they wait for: a pause required by the service, the rate, a slot, the next attempt, the store, or a full part downstream. */
  readonly for?: string | undefined;
  readonly count: number;
  /** How long the oldest has been in this state. */
  readonly ms: number;
}

/** A call's own description. */
export type Explained = Omit<Explanation, 'count'>;

/** Creates the error of a task that will not be sent, from the task's own details. */
export type Refusal = (details: ErrorDetails & { readonly operation: string }) => TrawlerError;

/** One request to send, as the admission sees it. The admission owns the fields that change. */
export interface Task {
  /** The limit that it counts against. */
  readonly limitGroup: LimitGroup;
  readonly node: DemandNode | undefined;
  /** Distance from the sink; smaller goes first. */
  readonly depth: number;
  /** Order among tasks of one depth; smaller goes first. */
  order: number;
  /** The node where it is parked. */
  parked: DemandNode | undefined;
  /** It may go although a node on its path holds, because everything stood still. */
  letGo?: true | undefined;
  /** Its index among the open calls. -1: it isn't open. */
  slot: number;
  /** Its request is in flight. */
  readonly inFlight: boolean;
  /** It looks into the store, and may need no request. */
  readonly inStore: boolean;
  /** Its turn to read the store has come. */
  lookUp?(): void;
  /** What it does and waits for. `queued` says what queued tasks wait for. */
  explain?(now: number, queued: string): Explained | undefined;
  /** It is released although `holder` still holds. */
  stalled?(holder: DemandNode): void;
  /** May send now. */
  admit(): void;
  /** Ends it with an error and drops its request in flight. */
  refuse(refusal: Refusal): void;
}

/** The node that holds a task back. None if the task was released. */
export function holderOf(task: Task): DemandNode | undefined {
  return task.letGo === true ? undefined : task.node?.holder();
}
