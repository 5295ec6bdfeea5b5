import type { LimitSpec, Operation } from '../../contract/index.ts';
import { parseRateLimit, readBucket, readDeclared, type ReadLimit } from '../attempt/parseRateLimit.ts';
import type { Settings } from '../options/resolveOptions.ts';
import { Lane, type Charge } from './Lane.ts';

/** The lanes of a client: one for each group of operations with a limit of its own, and the main one for all others. */
export class Lanes {
  readonly main: Lane;
  readonly all: readonly Lane[];
  readonly #usual: Charge;
  /** The operations whose requests aren't charged as usual. */
  readonly #charges = new Map<Operation, Charge>();

  constructor({ clock, pace, groupPaces, maxRetryAfterMs: maxPauseMs, service }: Settings) {
    const { limit, groups } = service;
    const limits = [{ of: pace, told: limit }, ...Array.from(groupPaces, ([group, of]) => ({ of, told: groups?.[group] }))];
    this.all = limits.map(({ of, told }, index) => new Lane({ index, clock, pace: of, readLimit: readerOf(told), maxPauseMs }));
    this.main = this.all[0]!;
    const lanes = new Map(Array.from(groupPaces.keys(), (group, nth) => [group, this.all[nth + 1]!]));
    this.#usual = { lane: this.main, cost: 1 };
    for (const operation of Object.values(service.operations)) {
      const { group = '', cost = 1 } = operation.spec;
      const own = lanes.get(group);
      if (own !== undefined || cost > 1) this.#charges.set(operation, { lane: own ?? this.main, cost });
    }
  }

  /** What a request of an operation counts against. */
  chargeOf(operation: Operation): Charge {
    return this.#charges.size === 0 ? this.#usual : (this.#charges.get(operation) ?? this.#usual);
  }
}

function readerOf(limit: LimitSpec | 'learnt' = 'learnt'): ReadLimit {
  if (limit === 'learnt' || 'requests' in limit) return parseRateLimit;
  return 'form' in limit ? readBucket(limit) : readDeclared(limit);
}
