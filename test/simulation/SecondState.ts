import { RunHistory } from '../../src/flow/state/RunHistory.ts';
import { journalFile } from '../../src/flow/state/FlowFolder.ts';
import { RunStorage } from '../../src/flow/state/RunStorage.ts';
import type { FlowEvent, JournalRecord } from '../../src/flow/core/events.ts';
import type { FlowState } from '../../src/flow/core/FlowState.ts';
import type { EndedQuery, OpenQuery } from '../../src/flow/core/Query.ts';
import { readAll } from '../../src/files/blocks.ts';
import { Broken } from './Broken.ts';
import { Stopped } from './Stopped.ts';

/** The lines of a run after each of which the states are compared. All of a run of thousands would take the square of its pages. */
const everyOne = 400;

/**
 * A second state for each run, which learns only from the lines of the journal. Whenever lines are written it must equal the live one:
 * then nothing changes a state but the events that are in the journal.
 */
export class SecondState {
  readonly #states = new WeakMap<RunStorage, RunHistory>();
  /**
   * How often lines were written, and the next time to compare. A run of thousands is compared at every twentieth part more, and when no
   * query is left, as at its end.
   */
  readonly #writes = new WeakMap<RunStorage, { count: number; next: number }>();
  readonly #tell: (broken: Broken) => void;
  readonly #methods = Object.getOwnPropertyDescriptors(RunStorage.prototype);

  /** It hears of the lines before they are written. */
  constructor(tell: (broken: Broken) => void) {
    this.#tell = tell;
    const { commit, note } = this.#methods;
    const before = (store: RunStorage): RunHistory | undefined => this.#before(store);
    const written = (store: RunStorage, second: RunHistory | undefined, text: Buffer): void => this.#written(store, second, text);
    RunStorage.prototype.commit = function (spent) {
      written(this, before(this), this.pending.text);
      return commit.value!.call(this, spent);
    };
    RunStorage.prototype.note = function (spent) {
      const { pending } = this;
      const second = before(this);
      try {
        note.value!.call(this, spent);
      } finally {
        if (this.pending !== pending) written(this, second, pending.text);
      }
    };
  }

  close(): void {
    Object.defineProperties(RunStorage.prototype, this.#methods);
  }

  #isDue(store: RunStorage): boolean {
    const writes = this.#writes.get(store) ?? { count: 0, next: 0 };
    this.#writes.set(store, writes);
    if (++writes.count < writes.next && store.state.queries.open.size > 0) return false;
    writes.next = writes.count < everyOne ? 0 : Math.ceil(writes.count * 1.05);
    return true;
  }

  /** The second state of a run, as of the lines that the journal has. */
  #before(store: RunStorage): RunHistory | undefined {
    try {
      const second = this.#states.get(store) ?? read(store);
      this.#states.set(store, second);
      return second;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #written(store: RunStorage, second: RunHistory | undefined, text: Buffer): void {
    if (second === undefined) return;
    try {
      for (const event of JSON.parse(`[${text.toString()}]`) as FlowEvent[]) evolve(second.state, event);
      if (!this.#isDue(store)) return;
      const other = difference(second.state, store.state, new Set());
      if (other !== undefined) this.#tell(new Broken('replay', `a state that was read from the journal differs: state${other}`));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (error instanceof Stopped) return; // the process was killed before it wrote these lines
    this.#tell(new Broken('replay', `the journal can't be replayed: ${String((error as Error).stack)}`));
  }
}

const oneEnds = { QueryEnded: ['complete', 'capped', 'short', 'found'], QueryFailed: ['failed'] } as const;
const onePage = {
  WalkMoved: ['walking'],
  WalkRestarted: ['walking'],
  JobStarted: ['jobPending'],
  QueryPostponed: ['postponed'],
  QueryHanded: ['waiting'],
  ...oneEnds,
} as const;

/** The life of a query: by which event it leaves a state, and for which. `reopen` is a record of its own: the run takes its failures up again. */
const queryLife: {
  readonly [state in OpenQuery['is'] | EndedQuery['is'] | 'complete' | 'capped' | 'found']: {
    readonly [event in FlowEvent['type'] | 'reopen']?: readonly (keyof typeof queryLife)[];
  };
} = {
  waiting: onePage,
  walking: onePage,
  jobPending: onePage,
  postponed: onePage,
  complete: {},
  capped: {},
  found: {},
  short: { reopen: ['walking'] },
  failed: { reopen: ['walking'] },
};

/** Applies an event, which its query must be able to have in the state in which it is. */
function evolve(state: FlowState, event: FlowEvent): void {
  const { queries } = state;
  const number = 'query' in event ? event.query : undefined;
  const before = number === undefined ? undefined : queries.open.get(number)?.is;
  state.evolve(event);
  if (number === undefined || before === undefined || !movers.has(event.type)) return;
  const after = (queries.open.get(number) ?? queries.failed.get(number) ?? queries.short.get(number))?.is ?? 'complete';
  if (queryLife[before]?.[event.type]?.includes(after) !== true)
    throw new Error(`query ${number} went from ${before} to ${after} by ${event.type}, which its life doesn't have`);
}

const movers = new Set(Object.values(queryLife).flatMap((ways) => Object.keys(ways)));

/** The state that the journal has led to so far. */
function read({ flow, folder }: RunStorage): RunHistory {
  const history = new RunHistory(flow, folder.path);
  const text = readAll(folder.at(journalFile), folder.fileSystem).toString();
  for (const line of text.split('\n').filter(Boolean)) history.replay(JSON.parse(line) as JournalRecord);
  return history;
}

type Plain = { readonly [key: string]: unknown };

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/**
 * Where two values differ, in words, which begin behind the name of the first one. What is undefined may be absent: JSON doesn't tell
 * them apart. Functions don't count.
 */
function difference(one: unknown, other: unknown, seen: Set<unknown>): string | undefined {
  if (Object.is(one, other) || typeof one === 'function') return undefined;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return ` is ${String(one)}, and ${String(other)} in the run`;
  if (seen.has(one)) return undefined;
  seen.add(one);
  if (one instanceof Map && other instanceof Map) {
    if (one.size !== other.size) return ` has ${[...one.keys()].join()}, and ${[...other.keys()].join()} in the run`;
    for (const [key, value] of one) {
      const found = difference(value, other.get(key), seen);
      if (found !== undefined) return ` of ${String(key)}${found}`;
    }
    return undefined;
  }
  if (one instanceof Set && other instanceof Set)
    return one.size === other.size && [...one].every((value) => other.has(value)) ? undefined : ' has other values';
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(other) && bytesOf(one).equals(bytesOf(other))) return undefined;
  const [ours, theirs] = [one as Plain, other as Plain];
  for (const key of Object.keys(ours)) {
    const found = difference(ours[key], theirs[key], seen);
    if (found !== undefined) return `.${key}${found}`;
  }
  const more = Object.keys(theirs).find((key) => theirs[key] !== undefined && ours[key] === undefined);
  return more === undefined ? undefined : `.${more} is undefined, and ${String(theirs[more])} in the run`;
}
