import type { LimitSpec, Operation } from '../../contract/index.ts';
import { parseRateLimit, readBucket, readDeclared, readInBody, type ReadLimit } from '../attempt/parseRateLimit.ts';
import type { RateLimitReport } from '../rate/Pace.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { Lane, type Charge } from './Lane.ts';

/** The lanes of a client: one for each group of operations with a limit of its own, and the main one for all others. */
export class Lanes {
  readonly main: Lane;
  readonly all: readonly Lane[];
  readonly #usual: Charge;
  /** The operations whose requests aren't charged as usual. */
  readonly #charges = new Map<Operation, Charge>();
  /** Those of which no response has said yet what they take. */
  readonly #untold = new Set<Charge>();

  constructor({ clock, pace, groupPaces, maxRetryAfterMs: maxPauseMs, service }: Settings) {
    const { limit, groups } = service;
    const limits = [{ of: pace, told: limit }, ...Array.from(groupPaces, ([group, of]) => ({ of, told: groups?.[group] }))];
    this.all = limits.map(({ of, told }, index) => new Lane({ index, clock, pace: of, ...readerOf(told), maxPauseMs }));
    this.main = this.all[0]!;
    const lanes = new Map(Array.from(groupPaces.keys(), (group, nth) => [group, this.all[nth + 1]!]));
    this.#usual = { lane: this.main, cost: 1 };
    for (const operation of Object.values(service.operations)) {
      const { group = '', cost = 1 } = operation.spec;
      const own = lanes.get(group);
      const told = limits[own?.index ?? 0]!.told;
      const mayChange = typeof told === 'object' && 'cost' in told;
      if (own === undefined && cost === 1 && !mayChange) continue;
      const charge = { lane: own ?? this.main, cost };
      this.#charges.set(operation, charge);
      if (mayChange) this.#untold.add(charge);
    }
  }

  /**
   * A response to a request that started at `startedAt` states the limit, and maybe what the next ones of its operation take of it.
   * Others under the limit of which nothing is known may take as much.
   */
  told(operation: Operation, now: number, startedAt: number, report: RateLimitReport): void {
    const charge = this.chargeOf(operation);
    if ('cost' in report && report.cost !== undefined && report.cost > 0) {
      charge.cost = report.cost;
      this.#untold.delete(charge);
      for (const other of this.#untold) if (other.lane === charge.lane) other.cost = Math.max(other.cost, report.cost);
    }
    charge.lane.pace.told?.(now, startedAt, report);
  }

  /** What a request of an operation counts against. */
  chargeOf(operation: Operation): Charge {
    return this.#charges.size === 0 ? this.#usual : (this.#charges.get(operation) ?? this.#usual);
  }
}

function readerOf(limit: LimitSpec | 'learnt' = 'learnt'): { readonly readLimit: ReadLimit; readonly inBody: boolean } {
  if (limit === 'learnt' || 'requests' in limit) return { readLimit: parseRateLimit, inBody: false };
  if ('form' in limit) return { readLimit: readBucket(limit), inBody: limit.at !== undefined };
  return 'at' in limit ? { readLimit: readInBody(limit), inBody: true } : { readLimit: readDeclared(limit), inBody: false };
}
