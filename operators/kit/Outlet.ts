import type { Observable, Subscriber, Subscription } from 'rxjs';
import { DemandNode } from '../demand/DemandNode.ts';
import { currentDemand, passUnder, subscribeUnder, withDemand } from '../demand/demandScope.ts';
import { Listener, takesLazy } from './Listener.ts';

/** Handlers for the signals of a source. Errors and completion are passed on by default. */
export interface Handlers<In> {
  readonly next: (value: In) => void;
  readonly error?: ((error: unknown) => void) | undefined;
  readonly complete?: (() => void) | undefined;
}

/** Work done step by step, while there is some and demand allows it. */
export interface PumpedWork {
  /** Whether there is a step to do. */
  readonly ready: () => boolean;
  readonly step: () => void;
  /** Called when it pauses, for any reason. */
  readonly after?: (() => void) | undefined;
  /** Continues even while something nearer to the sink is full. @default false */
  readonly eager?: boolean | undefined;
}

/**
 * The downstream end of one running operator. It passes signals on, subscribes to what is upstream and knows the
 * operator's node on the path to the sink. Everything it subscribed to ends with it.
 */
export class Outlet<Out> {
  /** The node of demand of whatever is downstream. undefined: nothing downstream follows demand. */
  readonly node: DemandNode | undefined = currentDemand();
  /** The next operator or sink takes lazy rows. */
  readonly lazy: boolean;
  readonly #destination: Subscriber<Out>;
  readonly #listeners = new Set<Subscription>();

  constructor(destination: Subscriber<Out>) {
    this.#destination = destination;
    this.lazy = takesLazy(destination) !== false;
    destination.add(() => {
      for (const listener of [...this.#listeners]) listener.unsubscribe();
    });
  }

  /** True once there is no subscriber. */
  get closed(): boolean {
    return this.#destination.closed;
  }

  /** Emits a value. Requests that it starts downstream are counted from the node there, not from this operator. */
  readonly next = (value: Out): void => passUnder(this.node, this.#destination, value);

  readonly error = (error: unknown): void => withDemand(this.node, () => this.#destination.error(error), true);

  readonly complete = (): void => withDemand(this.node, () => this.#destination.complete(), true);

  /**
   * Creates a node that can pause what is upstream while too much waits. Subscribe to the source under it. It is released when the
   * operator ends. `backlog`: how many values wait that lead to requests. If they are few, requests upstream go before nearer ones.
   */
  holder(name: string, backlog?: () => number): DemandNode {
    const node = new DemandNode(this.node, undefined, name, backlog);
    this.atEnd(() => node.release());
    return node;
  }

  /**
   * Subscribes to a source under `node`. An exception from a handler becomes the operator's error. `lazy`: the handlers
   * take lazy rows, or pages of them.
   */
  listen<In>(
    source: Observable<In>,
    handlers: Handlers<In>,
    node: DemandNode | undefined = this.node,
    lazy: boolean = false,
  ): Subscription {
    const { next, error = this.error, complete = this.complete } = handlers;
    const listener = new Listener<In>({ next, error, complete }, lazy);
    if (this.closed) return listener;
    this.#listeners.add(listener);
    listener.add(() => this.#listeners.delete(listener));
    const subscription: Subscription = subscribeUnder(node, source, listener);
    if (subscription !== listener) listener.add(subscription);
    return listener;
  }

  /**
   * Returns a function that runs the steps of `work`. Call it whenever there may be some. It pauses while something
   * nearer to the sink is full, and continues by itself afterwards. A step may call it: it is a loop, so the stack
   * doesn't grow.
   */
  pump(work: PumpedWork): () => void {
    let running = false;
    let waiting: (() => void) | undefined;
    let goesThrough = false;
    const isFree = (): boolean => {
      if (goesThrough) {
        goesThrough = false;
        return true;
      }
      if (waiting !== undefined) return false;
      const holder = this.node?.holder();
      if (holder === undefined) return true;
      waiting = holder.wait({ resume, letGo });
      return false;
    };
    const resume = (): void => {
      waiting = undefined;
      run();
    };
    const letGo = (): boolean => {
      goesThrough = true;
      run();
      const went = !goesThrough;
      goesThrough = false;
      return went;
    };
    const run = (): void => {
      if (running) return;
      running = true;
      try {
        while (!this.closed && work.ready() && !this.closed && (work.eager === true || isFree())) work.step();
        running = false;
        if (!this.closed) work.after?.();
      } catch (error) {
        running = false;
        this.error(error);
      }
    };
    this.atEnd(() => waiting?.());
    return run;
  }

  /** Calls `work` once, when the operator ends for any reason. */
  atEnd(work: () => void): void {
    this.#destination.add(work);
  }
}
