import { BehaviorSubject, Observable } from 'rxjs';
import type { HealthState } from '../events/clientEvents.ts';
import type { Clock } from '../Clock.ts';

export type Health = { readonly [operation: string]: HealthState };

type Changed = (operation: string, from: HealthState, to: HealthState) => void;

interface HealthBoardOptions {
  readonly clock: Clock;
  readonly windowMs: number;
  readonly healthy: number;
  readonly limited: number;
}

/**
 * The health of each operation in the service's five terms, from the results of recent calls. It counts by itself: events are
 * emitted only while somebody listens, and who subscribes late gets the current state, too.
 */
export class HealthBoard {
  readonly #changed: Changed;
  readonly #options: HealthBoardOptions;
  readonly #windows = new Map<string, HealthWindow>();
  /** Running calls of operations that have no finished call yet. */
  readonly #loading = new Map<string, number>();
  #states: Health;
  readonly #health: BehaviorSubject<Health>;
  #closed = false;
  #cancelLook: (() => void) | undefined;

  /** `changed` is called with each change. */
  constructor(operations: readonly string[], options: HealthBoardOptions, changed: Changed) {
    this.#options = options;
    this.#changed = changed;
    this.#states = Object.fromEntries(operations.map((name) => [name, 'No data' as const]));
    this.#health = new BehaviorSubject<Health>(this.#states);
  }

  /** Emits the current state at once, then each change. While there is a subscriber, states also change as samples expire. */
  readonly stream: Observable<Health> = new Observable((subscriber) => {
    this.#look();
    if (this.#closed) subscriber.next(this.#states);
    const changes = this.#health.subscribe(subscriber);
    this.#lookLater();
    return () => {
      changes.unsubscribe();
      if (!this.#health.observed) this.#stopLooking();
    };
  });

  /** A call's first request is sent. */
  began(operation: string): void {
    if (this.#windows.has(operation)) return;
    this.#loading.set(operation, (this.#loading.get(operation) ?? 0) + 1);
    this.#update(operation);
  }

  /** A call is over: `good` if its first attempt got a page, undefined if it was cancelled. */
  ended(operation: string, good: boolean | undefined): void {
    let window = this.#windows.get(operation);
    if (window === undefined) {
      const loading = this.#loading.get(operation) ?? 0;
      if (loading > 1) this.#loading.set(operation, loading - 1);
      else this.#loading.delete(operation);
    }
    const now = this.#options.clock.now();
    if (good !== undefined) {
      if (window === undefined) this.#windows.set(operation, (window = new HealthWindow(this.#options.windowMs)));
      const moved = window.record(now, good);
      if (this.#cancelLook === undefined && this.#health.observed) this.#lookLater();
      if (good && !moved && this.#states[operation] === 'Healthy') return; // it can't be better
    }
    this.#update(operation, now);
  }

  close(): void {
    this.#closed = true;
    this.#stopLooking();
    this.#health.complete();
  }

  #update(operation: string, now: number = this.#options.clock.now()): void {
    const from = this.#states[operation] ?? 'No data';
    const to = this.#stateOf(operation, now);
    if (from === to) return;
    this.#states = { ...this.#states, [operation]: to };
    this.#changed(operation, from, to);
    this.#health.next(this.#states);
  }

  #stateOf(operation: string, now: number): HealthState {
    const window = this.#windows.get(operation);
    if (window === undefined) return this.#loading.has(operation) ? 'Loading' : 'No data';
    const share = window.share(now);
    if (share === undefined) return 'No data';
    return share >= this.#options.healthy ? 'Healthy' : share >= this.#options.limited ? 'Available Limited' : 'Mostly unavailable';
  }

  #look(): void {
    for (const operation of this.#windows.keys()) this.#update(operation);
  }

  /** Sets a timer for the next call that leaves a window, if there is a subscriber. */
  #lookLater(): void {
    this.#stopLooking();
    if (!this.#health.observed) return;
    const now = this.#options.clock.now();
    const next = Math.min(...[...this.#windows.values()].map((window) => window.nextChangeMs(now) ?? Infinity));
    if (next === Infinity) return;
    const look = (): void => {
      this.#look();
      this.#lookLater();
    };
    this.#cancelLook = this.#options.clock.after(Math.max(1, next), look, 'idle');
  }

  #stopLooking(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }
}

const slots = 30;

/** Results of recent calls, in slots of a thirtieth of the window, so that single calls needn't be kept. */
class HealthWindow {
  readonly #slotMs: number;
  readonly #good = new Uint32Array(slots);
  readonly #calls = new Uint32Array(slots);
  #allGood = 0;
  #allCalls = 0;
  /** The number of the newest slot, counted from time 0. */
  #newest = -1;

  constructor(windowMs: number) {
    this.#slotMs = windowMs / slots;
  }

  /** Returns whether calls may have left the window since the last time. */
  record(now: number, good: boolean): boolean {
    const before = this.#newest;
    this.#advance(now);
    const slot = this.#newest % slots;
    this.#calls[slot]!++;
    this.#allCalls++;
    if (good) {
      this.#good[slot]!++;
      this.#allGood++;
    }
    return this.#newest !== before;
  }

  /** The share of good calls, or undefined without calls. */
  share(now: number): number | undefined {
    this.#advance(now);
    return this.#allCalls === 0 ? undefined : this.#allGood / this.#allCalls;
  }

  /** Milliseconds until the next call leaves the window. Undefined if it is empty. */
  nextChangeMs(now: number): number | undefined {
    this.#advance(now);
    for (let age = slots - 1; age >= 0; age--) {
      const slot = this.#newest - age;
      if (slot >= 0 && this.#calls[slot % slots]! > 0) return (slot + slots) * this.#slotMs - now;
    }
    return undefined;
  }

  #advance(now: number): void {
    const current = Math.floor(now / this.#slotMs);
    for (let steps = Math.min(slots, current - this.#newest); steps > 0; steps--) {
      const slot = (current - steps + 1) % slots;
      this.#allGood -= this.#good[slot]!;
      this.#allCalls -= this.#calls[slot]!;
      this.#good[slot] = 0;
      this.#calls[slot] = 0;
    }
    if (current > this.#newest) this.#newest = current;
  }
}
