import { Stopped } from './Stopped.ts';

/** What the simulated globals need of a simulation. */
interface Clock {
  readonly now: number;
  readonly wall: number;
  /** Errors that nobody caught. */
  readonly stray: unknown[];
  after(ms: number, run: () => void, holds?: boolean): () => void;
  tick(ms: number, run: () => void, holds: boolean): () => void;
}

/** The simulation that runs now. Outside of one, time is real. */
let current: Clock | undefined;

/** Without a simulation. */
export const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, Date, random: Math.random };
const realNow = performance.now.bind(performance);
let random: () => number = real.random;

/** A timer as Node has it. */
class Timer {
  cancel: () => void = () => undefined;
  holds = true;
  readonly #start: (timer: Timer) => void;

  constructor(start: (timer: Timer) => void) {
    this.#start = start;
    start(this);
  }
  ref(): this {
    return this.#hold(true);
  }
  unref(): this {
    return this.#hold(false);
  }
  hasRef(): boolean {
    return this.holds;
  }
  [Symbol.dispose](): void {
    this.cancel();
  }
  #hold(holds: boolean): this {
    if (this.holds === holds) return this;
    this.holds = holds;
    this.cancel();
    this.#start(this);
    return this;
  }
}

type Callback = (...args: unknown[]) => void;

function once(simulation: Clock, run: Callback, ms: number | undefined, args: unknown[]): Timer {
  return new Timer((timer) => (timer.cancel = simulation.after(delay(ms), () => run(...args), timer.holds)));
}

function again(simulation: Clock, run: Callback, ms: number | undefined, args: unknown[]): Timer {
  return new Timer((timer) => {
    const tick = (): void => {
      timer.cancel = simulation.tick(delay(ms), next, timer.holds);
    };
    const next = (): void => (tick(), run(...args));
    // The first one is on time: RxJS makes its delays of intervals that it clears then.
    timer.cancel = simulation.after(delay(ms), next, timer.holds);
  });
}

const delay = (ms: number | undefined): number => Math.max(1, Math.trunc(ms ?? 1) || 1);

function clear(timer: unknown, really: (timer: never) => void): void {
  if (timer instanceof Timer) timer.cancel();
  else really(timer as never);
}

class SimulatedDate extends Date {
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [SimulatedDate.now()] : args) as [number]));
  }
  static override now(): number {
    return current?.wall ?? real.Date.now();
  }
}

// Before anything else is loaded, because modules keep some of these.
Object.assign(globalThis, {
  setTimeout: (run: Callback, ms?: number, ...args: unknown[]) =>
    current === undefined ? real.setTimeout(run, ms, ...args) : once(current, run, ms, args),
  setInterval: (run: Callback, ms?: number, ...args: unknown[]) =>
    current === undefined ? real.setInterval(run, ms, ...args) : again(current, run, ms, args),
  setImmediate: (run: Callback, ...args: unknown[]) =>
    current === undefined ? real.setImmediate(run, ...args) : new Timer((timer) => (timer.cancel = current!.after(0, () => run(...args)))),
  clearTimeout: (timer: unknown) => clear(timer, real.clearTimeout),
  clearInterval: (timer: unknown) => clear(timer, real.clearInterval),
  clearImmediate: (timer: unknown) => clear(timer, real.clearImmediate),
  Date: SimulatedDate,
});
performance.now = () => current?.now ?? realNow();
Math.random = () => random();
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error: unknown) => {
    if (current === undefined) throw error;
    if (!(error instanceof Stopped)) current.stray.push(error);
  });

/** Runs `act` with the time and the random numbers of a simulation. */
export async function inSimulation<Result>(simulation: Clock, numbers: () => number, act: () => Promise<Result>): Promise<Result> {
  current = simulation;
  random = numbers;
  try {
    return await act();
  } finally {
    current = undefined;
    random = real.random;
  }
}
