import { real } from './simulatedGlobals.ts';
import { Stopped } from './Stopped.ts';

/** Whoever may be stopped: its timers die with it. */
export interface Owner {
  readonly name: string;
  readonly isAlive: boolean;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  readonly run: () => void;
  /** It keeps its process running. */
  readonly holds: boolean;
  /** It comes again and again. */
  readonly tick: boolean;
  cancelled: boolean;
}

/** 2026-01-01. */
const wallStart = Date.UTC(2026, 0, 1);

/** These come from the system, and are no part of the story. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Virtual time: what falls due runs one by one, with all its promises, so one seed has one order. */
export class Simulation {
  now = 0;
  /** How far the clock on the wall was moved by somebody. */
  shift = 0;
  steps = 0;
  /** What comes again and again comes no sooner than after so long, as on a machine that is busy. */
  leastTickMs = 0;
  /** Whose event runs. What it starts is its own, too. */
  owner: Owner | undefined;
  /** The story so far, if somebody wants it. */
  readonly story: string[] = [];
  /** Errors that nobody caught. */
  readonly stray: unknown[] = [];
  readonly #isTold: boolean;
  #order = 0;
  readonly #queue: Event[] = [];

  get wall(): number {
    return wallStart + Math.floor(this.now) + this.shift;
  }

  constructor(isTold: boolean) {
    this.#isTold = isTold;
  }

  /** Adds a line to the story. */
  say(line: () => string): void {
    if (!this.#isTold) return;
    const who = this.owner === undefined ? '' : `${this.owner.name}: `;
    this.story.push(`${(this.now / 1000).toFixed(3)} s  ${who}${line().replace(uuid, '…')}`);
  }

  after(ms: number, run: () => void, holds = true, tick = false): () => void {
    const event: Event = { at: this.now + Math.max(0, ms), order: this.#order++, owner: this.owner, run, holds, tick, cancelled: false };
    push(this.#queue, event);
    return () => void (event.cancelled = true);
  }

  /** As `after`, for what comes every `ms`. Ticks between which nothing else happens are left out, as on a machine that is busy. */
  tick(ms: number, run: () => void, holds: boolean): () => void {
    let next = Infinity;
    for (const { at, tick, cancelled } of this.#queue) if (!tick && !cancelled && at < next) next = at;
    const times = next === Infinity ? 1 : Math.max(1, Math.floor((next - this.now) / ms));
    return this.after(Math.max(ms * times, this.leastTickMs), run, holds, true);
  }

  /** How many later events keep an owner running. */
  held(owner: Owner): number {
    return this.#queue.filter((event) => event.owner === owner && event.holds && !event.cancelled && event.at > this.now).length;
  }

  /** Runs what falls due until `isOver`. Returns why it stopped: it is over, nothing is left that would keep a process running, or too much happened. */
  async run(isOver: () => boolean, maxSteps: number): Promise<'over' | 'idle' | 'endless'> {
    const end = this.steps + maxSteps;
    await turn();
    while (!isOver()) {
      if (this.steps >= end) return 'endless';
      if (!this.#queue.some(({ holds, cancelled, owner }) => holds && !cancelled && owner?.isAlive !== false)) return 'idle';
      const event = pop(this.#queue);
      if (event === undefined) return 'idle';
      if (event.cancelled || event.owner?.isAlive === false) continue;
      this.steps += 1;
      this.now = Math.max(this.now, event.at);
      this.owner = event.owner;
      try {
        event.run();
      } catch (error) {
        // What a dead process does with the error of its disk is of no interest. It may have died in this event.
        if (!(error instanceof Stopped)) this.stray.push(error);
      }
      await turn();
      this.owner = undefined;
    }
    return 'over';
  }

  /** Acts as `owner`, with all that follows at once. */
  async as<Result>(owner: Owner, act: () => Result): Promise<Result> {
    this.owner = owner;
    const result = act();
    await turn();
    this.owner = undefined;
    return result;
  }
}

/** So many turns are made at once, because each that the event loop comes round for costs a call of the system. */
const turnsAtOnce = 32;

const waiting: (() => void)[] = [];
let turns = 0;

/** A real turn of the event loop. Before it come all promises and `nextTick`. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) <= turns) return;
    for (let made = 0; made < turnsAtOnce; made++) real.setImmediate(next);
    turns += turnsAtOnce;
  });
}

function next(): void {
  turns -= 1;
  waiting.shift()?.();
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const above = (at - 1) >> 1;
    if (!isBefore(event, heap[above]!)) break;
    heap[at] = heap[above]!;
    at = above;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || last === first) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
    if (!isBefore(heap[below]!, last)) break;
    heap[at] = heap[below]!;
    at = below;
  }
  heap[at] = last;
  return first;
}
