const usualSlots = 8;
/** A worker whose connection is gone for less has connected again. */
const goneMs = 3000;

/** The workers of a queue as their leader sees them. It names those that come and go. */
export class WorkersThere {
  readonly #tell: (message: string) => void;
  /** When each was seen last. */
  readonly #seen = new Map<string, number>();

  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** `names`: those that are connected now. A system without names says nothing of who comes and goes. */
  look(names: readonly (string | undefined)[], now: number): void {
    const there = new Set(names.flatMap((name) => (name === undefined ? [] : [shownName(name)])));
    const come = [...there].filter((name) => !this.#seen.has(name));
    for (const name of there) this.#seen.set(name, now);
    const gone = Array.from(this.#seen).flatMap(([name, at]) => (now - at > goneMs ? [name] : []));
    for (const name of gone) this.#seen.delete(name);
    const slots = names.reduce((sum, name) => sum + slotsOf(name), 0);
    const left = `${names.length} ${names.length === 1 ? 'worker' : 'workers'} for ${slots} requests at once`;
    if (come.length > 0) this.#tell(`${workers(come)} here: ${come.join(', ')}. Now ${left}`);
    if (gone.length > 0) this.#tell(`${workers(gone)} gone: ${gone.join(', ')}. Now ${left}`);
  }
}

/** A worker's name holds its number of parallel jobs. If names can't be read, assume one worker with default settings. */
export function slotsOf(name: string | undefined): number {
  return Number(/x(\d+)$/.exec(name ?? '')?.[1] ?? usualSlots);
}

/** Host and process, as the worker says of itself. BullMQ puts its prefix and the queue before it. */
function shownName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).replace(/x\d+$/, '');
}

function workers({ length }: readonly string[]): string {
  return length === 1 ? 'a worker is' : `${length} workers are`;
}
