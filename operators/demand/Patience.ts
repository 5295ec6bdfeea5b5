/** A consumer that takes a row a second isn't taken for one that is stuck. */
const firstMs = 1000;
/** Tries that help show that the node waits for what it holds, so the next one comes as soon as nothing moves. */
const helpedMs = 10;
const longestMs = 600_000;
/** Costs little if the consumer was only slow. */
const mostAtOnce = 64;

/** What letting some waiters go brought. */
export type TryResult =
  /** The node took something while no request was on its way: what was let go was what it waited for. */
  | 'helped'
  /** It took something while some were still on their way: because of one that had come, or by itself. */
  | 'moved meanwhile'
  /** It took nothing. */
  | 'in vain'
  /** It took something although nothing had been let go. */
  | 'moved by itself';

/**
 * How long a node may stand still until waiters are let go, and how many then. If that helps, more follow at once. If it
 * doesn't, four times as many follow after twice the wait. So a pipe that waits for itself ends soon, however many
 * pages it needs. A slow consumer gets few pages too many, and only once, because the wait stays as long as it has become.
 */
export class Patience {
  /** How long. */
  readonly ms: number;
  /** How many. */
  readonly most: number;
  /** The last try helped. */
  readonly helped: boolean;
  /** How long, had it not. */
  readonly baseMs: number;

  constructor(baseMs: number = firstMs, most: number = 1, helped: boolean = false) {
    this.helped = helped;
    this.baseMs = baseMs;
    this.ms = helped ? helpedMs : Math.min(baseMs, longestMs);
    this.most = Math.min(most, mostAtOnce);
  }

  after(outcome: TryResult): Patience {
    return lessons[outcome](this);
  }
}

const lessons: Record<TryResult, (now: Patience) => Patience> = {
  helped: ({ most }) => new Patience(firstMs, 2 * most, true),
  // One alone will show which of the two it was. If it was one alone, the consumer moves by itself.
  'moved meanwhile': ({ baseMs, most, helped }) => (most > 1 ? new Patience(baseMs, 1, helped) : new Patience(2 * baseMs)),
  'in vain': ({ baseMs, most }) => new Patience(2 * baseMs, 4 * most),
  'moved by itself': ({ baseMs, most, helped }) => new Patience(baseMs, helped ? most : 1, helped),
};
