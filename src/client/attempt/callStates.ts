import type { SharedRequest } from '../batch/SharedRequest.ts';
import type { RunningAttempt } from './AttemptFailure.ts';

/** What a call does now, with what it holds meanwhile. */
export type CallState =
  /** `lookup`: it waits for its turn in the store, or reads it. `queued`: it waits for admission. */
  | { readonly is: 'made' | 'lookup' | 'queued' | 'over' }
  /** Its query is sent together with others. */
  | { readonly is: 'batched'; readonly batch: SharedRequest }
  | InFlight
  /** For its next attempt, an equal request, a job, or the pages of its walk, which are requested again. */
  | { readonly is: 'waiting'; readonly cancel: () => void };

export interface InFlight {
  readonly is: 'inFlight';
  readonly attempt: RunningAttempt;
  /** The requests in flight in its limit group when it was sent, including this one. */
  readonly groupInFlight: number;
  /** It has a slot of the admission. It may give that up before its response is read. */
  holds: boolean;
  /** It ended before it was sent. */
  unsent: boolean;
}

export const made: CallState = { is: 'made' };
export const lookup: CallState = { is: 'lookup' };
export const queued: CallState = { is: 'queued' };
export const over: CallState = { is: 'over' };

/** What a call may do next. Everything else comes too late, and is refused. */
export const nextStates: { readonly [is in CallState['is']]: readonly CallState['is'][] } = {
  made: ['lookup', 'batched', 'queued', 'over'],
  lookup: ['batched', 'queued', 'over'],
  batched: ['queued', 'over'],
  queued: ['waiting', 'inFlight', 'over'],
  inFlight: ['batched', 'queued', 'waiting', 'over'],
  waiting: ['lookup', 'queued', 'over'],
  over: [],
};
