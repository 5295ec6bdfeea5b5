import { Observable } from 'rxjs';
import type { HealthState } from '../events/clientEvents.ts';
import type { Clock } from '../Clock.ts';
import { HealthWindow } from './HealthWindow.ts';

export type Health = { readonly [operation: string]: HealthState };

interface HealthBoardOptions {
  readonly clock: Clock;
  readonly windowMs: number;
  readonly healthy: number;
  readonly limited: number;
  readonly changed: (operation: string, from: HealthState, to: HealthState) => void;
}

/** The health of each operation in the service's five terms, from the results of recent calls. */
export class HealthBoard {
  readonly #options: HealthBoardOptions;
  readonly #windows = new Map<string, HealthWindow>();
  /** Running calls of operations that have no finished call yet. */
  readonly #loading = new Map<string, number>();
  readonly #watchers = new Set<(health: Health) => void>();
  readonly #completions = new Set<() => void>();
  #health: Health;
  #closed = false;
  #cancelLook: (() => void) | undefined;

  constructor(operations: readonly string[], options: HealthBoardOptions) {
    this.#options = options;
    this.#health = Object.fromEntries(operations.map((name) => [name, 'No data' as const]));
  }

  /** Emits the current state at once, then each change. While there is a subscriber, states also change as samples expire. */
  readonly stream: Observable<Health> = new Observable((subscriber) => {
    const watch = (health: Health): void => subscriber.next(health);
    const complete = (): void => subscriber.complete();
    this.#look();
    subscriber.next(this.#health);
    if (this.#closed) return complete();
    this.#watchers.add(watch);
    this.#completions.add(complete);
    this.#lookAgain();
    return () => {
      this.#watchers.delete(watch);
      this.#completions.delete(complete);
      if (this.#watchers.size === 0) this.#stopLooking();
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
    const loading = this.#loading.get(operation);
    if (loading !== undefined) {
      if (loading > 1) this.#loading.set(operation, loading - 1);
      else this.#loading.delete(operation);
    }
    if (good !== undefined) {
      let window = this.#windows.get(operation);
      if (window === undefined) this.#windows.set(operation, (window = new HealthWindow(this.#options.windowMs)));
      window.record(this.#options.clock.now(), good);
      if (this.#cancelLook === undefined) this.#lookAgain();
    }
    this.#update(operation);
  }

  close(): void {
    this.#closed = true;
    this.#stopLooking();
    for (const complete of Array.from(this.#completions)) complete();
  }

  #update(operation: string): void {
    const from = this.#health[operation] ?? 'No data';
    const to = this.#state(operation);
    if (from === to) return;
    this.#health = { ...this.#health, [operation]: to };
    this.#options.changed(operation, from, to);
    for (const watch of Array.from(this.#watchers)) watch(this.#health);
  }

  #state(operation: string): HealthState {
    const window = this.#windows.get(operation);
    if (window === undefined) return this.#loading.has(operation) ? 'Loading' : 'No data';
    const share = window.share(this.#options.clock.now());
    if (share === undefined) return 'No data';
    return share >= this.#options.healthy ? 'Healthy' : share >= this.#options.limited ? 'Available Limited' : 'Mostly unavailable';
  }

  #look(): void {
    for (const operation of this.#windows.keys()) this.#update(operation);
  }

  /** Sets a timer for the next call that leaves a window, if there is a subscriber. */
  #lookAgain(): void {
    this.#stopLooking();
    if (this.#watchers.size === 0 || this.#closed) return;
    const now = this.#options.clock.now();
    const next = Math.min(...[...this.#windows.values()].map((window) => window.nextChangeMs(now) ?? Infinity));
    if (next === Infinity) return;
    const look = (): void => {
      this.#look();
      this.#lookAgain();
    };
    this.#cancelLook = this.#options.clock.after(Math.max(1, next), look, 'idle');
  }

  #stopLooking(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }
}
