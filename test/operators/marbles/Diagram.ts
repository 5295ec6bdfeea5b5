import type { Observable, SchedulerLike } from 'rxjs';

/** What a diagram's pipe is made from: its own lines, by label. */
export interface Stage {
  /** The stream of a line, cold; each subscription is compared with the line's. */
  readonly line: (label: string) => Observable<string>;
  readonly scheduler: SchedulerLike;
}

/** One stream above or beside the operator. */
export interface Line {
  readonly label: string;
  readonly marbles: string;
  /** When it is subscribed to, and unsubscribed from, as marbles; left out: from the start to its end. */
  readonly subscribed?: string;
}

/** One picture, and one fact: what comes out of `run` must be `output`, each line subscribed to as it says. */
export interface Diagram {
  readonly operator: string;
  readonly call: string;
  readonly source: Line;
  /** What the operator subscribes to on the way, mostly requests. */
  readonly inner: readonly Line[];
  readonly output: string;
  readonly run: (stage: Stage) => Observable<string>;
}
