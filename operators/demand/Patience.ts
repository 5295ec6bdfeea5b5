/** A consumer that takes a row a second isn't taken for one that is stuck. */
const firstMs = 1000;
/** Tries that help show that the node waits for what it holds, so the next one comes as soon as nothing moves. */
const helpedMs = 10;
const maxMs = 600_000;
/** Costs little if the consumer was only slow. */
const maxAtOnce = 64;

/** What letting some waiters go brought. */
type TryResult =
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
  readonly limit: number;
  /** The last try helped. */
  readonly helped: boolean;
  /** How long, had it not. */
  readonly baseMs: number;

  constructor(baseMs: number = firstMs, limit: number = 1, helped: boolean = false) {
    this.helped = helped;
    this.baseMs = baseMs;
    this.ms = helped ? helpedMs : Math.min(baseMs, maxMs);
    this.limit = Math.min(limit, maxAtOnce);
  }

  after(outcome: TryResult): Patience {
    return lessons[outcome](this);
  }
}

const lessons: Record<TryResult, (now: Patience) => Patience> = {
  helped: ({ limit }) => new Patience(firstMs, 2 * limit, true),
  // One alone will show which of the two it was. If it was one alone, the consumer moves by itself.
  'moved meanwhile': ({ baseMs, limit, helped }) => (limit > 1 ? new Patience(baseMs, 1, helped) : new Patience(2 * baseMs)),
  'in vain': ({ baseMs, limit }) => new Patience(2 * baseMs, 4 * limit),
  'moved by itself': ({ baseMs, limit, helped }) => new Patience(baseMs, helped ? limit : 1, helped),
};
