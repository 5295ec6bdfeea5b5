/** A value that says what state a job is in. */
type JobValue = string | number | boolean;

/** Work that takes longer than a request: the first response names an address, which is requested until the rows are there. */
export interface JobSpec {
  /** The status of a response while the job isn't done. @default 202 */
  readonly status?: number;
  /** Where in the body of the first response the address is, as a dotted path. @default its header `location` */
  readonly at?: string;
  /** Where in the body its state is, and the values that mean that it is done, or has failed. @default done when the status is another one */
  readonly until?: JobState;
  /** The time between two requests, unless the service says how long to wait. @default 2000 */
  readonly everyMs?: number;
  /** The longest time until it is done. @default 600_000 */
  readonly maxMs?: number;
}

export interface JobState {
  /** Where the state is. */
  readonly at: string;
  /** The job is done, and its rows are there. */
  readonly is: readonly JobValue[];
  /** It has failed, and so has the query. @default none of its states */
  readonly failed?: readonly JobValue[];
}

export const usualJob = { status: 202, everyMs: 2000, maxMs: 600_000 } as const;
