import type { Dispatcher } from 'undici';
import { hashOf, Random } from '../Random.ts';
import { simulatedDispatcher, type Reply, type Visitor } from '../simulatedDispatcher.ts';
import type { Simulation } from '../Simulation.ts';
import { allowanceOf, type Allowance } from './allowances.ts';
import { headersOf, retryAfterOf, type Wait } from './headersOf.ts';
import type { LimitWorld } from './LimitWorld.ts';

/** What came of a request, when the client hears of it. */
export interface Heard {
  readonly sentAt: number;
  readonly kind: 'served' | 'refused' | 'failed';
  /** What a refusal asks for. */
  readonly wait: Wait;
}

/** A service in memory that refuses what is beyond its limit. */
export class LimitedService {
  /** Called with each request, before it is sent. */
  requested: () => void = () => undefined;
  heard: (heard: Heard) => void = () => undefined;
  readonly allowance: Allowance;
  readonly #world: LimitWorld;
  readonly #simulation: Simulation;
  readonly #random: Random;
  #arrived = 0;

  constructor(world: LimitWorld, simulation: Simulation) {
    this.#world = world;
    this.#simulation = simulation;
    this.#random = new Random(hashOf(world.seed, 'ways'));
    this.allowance = allowanceOf(world);
  }

  /** The way of a client to the service. */
  door(visitor: Visitor): Dispatcher {
    return simulatedDispatcher(visitor, ({ path }, respond) => {
      const simulation = this.#simulation;
      const sentAt = simulation.now;
      this.requested();
      simulation.say(() => `requests ${path}`);
      const wayMs = (this.#world.latencyMs / 2) * (0.75 + 0.5 * this.#random.next());
      let isServing = false;
      const answer = (reply: Reply, heard: Omit<Heard, 'sentAt'>): void => {
        cancel = simulation.after(wayMs, () => {
          simulation.say(() => `${path} → ${reply.instead ?? `${reply.status} ${JSON.stringify(reply.headers)}`}`);
          this.heard({ sentAt, ...heard });
          respond(reply);
        });
      };
      let cancel = simulation.after(wayMs, () => {
        const failure = this.#failure();
        if (failure !== undefined) return answer(failure, { kind: 'failed', wait: undefined });
        const refusedMs = this.allowance.take(simulation.now);
        if (refusedMs !== undefined) {
          const { reply, wait } = this.#refusal(refusedMs);
          return answer(reply, { kind: 'refused', wait });
        }
        isServing = true;
        cancel = simulation.after(this.allowance.takesMs(simulation.now), () => {
          isServing = false;
          this.allowance.served();
          answer({ status: 200, headers: this.#told(), body: '{"rows":[{"id":"1"}]}' }, { kind: 'served', wait: undefined });
        });
      });
      return () => {
        cancel();
        if (isServing) this.allowance.served();
      };
    });
  }

  #told(): { readonly [name: string]: string } {
    const { tells, limit } = this.#world;
    return headersOf(tells, { ...this.allowance.left(this.#simulation.now), wall: this.#simulation.wall, limit });
  }

  #failure(): Reply | undefined {
    const { outage, failsEvery } = this.#world;
    const { now } = this.#simulation;
    if (outage !== undefined && now >= outage.fromMs && now < outage.fromMs + outage.forMs)
      return outage.as === 'reset' ? { status: 0, body: '', instead: 'reset' } : { status: outage.as, body: 'away' };
    this.#arrived += 1;
    return failsEvery !== undefined && this.#arrived % failsEvery === 0 ? { status: 500, body: 'broken' } : undefined;
  }

  #refusal(refusedMs: number): { readonly reply: Reply; readonly wait: Wait } {
    const { refuses, retryAfter } = this.#world;
    const { wall } = this.#simulation;
    const { headers, wait } = retryAfterOf(retryAfter, refusedMs, wall);
    const told = { ...this.#told(), ...headers };
    switch (refuses) {
      case '429':
        return { reply: { status: 429, headers: told, body: '' }, wait };
      case '503':
        return { reply: { status: 503, headers: told, body: '' }, wait };
      case '403':
        return { reply: { status: 403, headers: told, body: '' }, wait };
      case '403 by a rule':
        return { reply: { status: 403, headers: told, body: '{"message":"too fast"}' }, wait };
      case '200 with an error':
        return { reply: { status: 200, headers: told, body: '{"error":{"code":"ratelimited"}}' }, wait };
      default: {
        const until = Math.ceil(wall + refusedMs);
        return { reply: { status: 403, headers: { ...told, 'x-quota-until': String(until) }, body: '{}' }, wait: { until } };
      }
    }
  }
}
