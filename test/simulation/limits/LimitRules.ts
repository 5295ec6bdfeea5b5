import { TrawlerError } from '../../../src/errors/index.ts';
import { Broken } from '../Broken.ts';
import type { Simulation } from '../Simulation.ts';
import type { Visitor } from '../simulatedDispatcher.ts';
import type { Heard, LimitedService } from './LimitedService.ts';
import type { LimitWorld } from './LimitWorld.ts';

/** What must be true of a client at a limit. */
export class LimitRules {
  broken: Broken | undefined;
  readonly #world: LimitWorld;
  readonly #simulation: Simulation;
  readonly #visitor: Visitor;
  readonly #service: LimitedService;
  readonly #counts = { served: 0, refused: 0, failed: 0, sent: 0, toldRefused: 0 };
  /** The service asked for silence until then. */
  #silentUntil = 0;
  #toldAt = Infinity;

  constructor(world: LimitWorld, simulation: Simulation, service: LimitedService, visitor: Visitor) {
    this.#world = world;
    this.#simulation = simulation;
    this.#visitor = visitor;
    this.#service = service;
    service.requested = () => this.#requested();
    service.heard = (heard) => this.#heard(heard);
  }

  #requested(): void {
    const { now } = this.#simulation;
    const { concurrency, maxRequests = Infinity } = this.#world;
    this.#counts.sent += 1;
    if (this.#visitor.inFlight > concurrency) this.#break('concurrency', `${this.#visitor.inFlight} requests in flight of ${concurrency}`);
    if (this.#visitor.requests > maxRequests) this.#break('budget', `${this.#visitor.requests} requests of ${maxRequests}`);
    if (now < this.#silentUntil) this.#break('pause', `a request ${Math.ceil(this.#silentUntil - now)} ms before the service wanted one`);
  }

  #heard({ kind, wait, sentAt }: Heard): void {
    this.#counts[kind] += 1;
    const { now } = this.#simulation;
    if (kind === 'refused' && sentAt > this.#toldAt) this.#counts.toldRefused += 1;
    if (kind === 'served') this.#toldAt = Math.min(this.#toldAt, now);
    if (wait === undefined) return;
    const ms = 'ms' in wait ? wait.ms : wait.until - this.#simulation.wall;
    this.#silentUntil = Math.max(this.#silentUntil, now + ms - 1e-6);
  }

  /** A call has failed. Returns how long its user waits before the next one. Infinity: for ever. */
  failed(error: unknown): number {
    if (!(error instanceof TrawlerError)) {
      this.#break('reason', String((error as Error).stack));
      return 1000;
    }
    if (error.name === 'BudgetError') return Infinity;
    const { pausedUntil } = error;
    return Math.max(1000, (pausedUntil ?? 0) - this.#simulation.wall);
  }

  #break(rule: string, what: string): void {
    this.broken ??= new Broken(rule, what);
  }

  noStray(): void {
    if (this.broken !== undefined) throw this.broken;
    const [stray] = this.#simulation.stray;
    if (stray !== undefined) throw new Broken('stray error', String((stray as Error).stack));
  }

  /** After the last call. */
  ends({ requests, inFlight }: { readonly requests: number; readonly inFlight: number }): void {
    const { sent } = this.#counts;
    if (requests !== sent) throw new Broken('counts', `the client counts ${requests} requests, and sent ${sent}`);
    if (inFlight !== 0 || this.#visitor.inFlight !== 0) throw new Broken('in flight', `${inFlight} requests at the end`);
    const timers = this.#simulation.held(this.#visitor);
    if (timers !== 0) throw new Broken('timers', `${timers} at the end`);
    if (this.#world.maxRequests !== undefined) return;
    this.#checkTold();
    this.#checkWaste();
    this.#checkShare();
  }

  /** What the service says of its limit, and rightly, is enough to stay below it. */
  #checkTold(): void {
    const { tells, change } = this.#world;
    const isTold = tells !== undefined && !vague.has(tells) && change === undefined;
    if (isTold && this.#counts.toldRefused > 0)
      throw new Broken('told', `${this.#counts.toldRefused} requests were refused although the headers said that nothing was left`);
  }

  #checkWaste(): void {
    const { refused, sent } = this.#counts;
    const { forMs, concurrency, limit } = this.#world;
    // Those on their way when a quota ends, a few in a hundred that try more, and where nothing is let through one every few seconds.
    const ends = limit.kind === 'quota' ? 2 + forMs / limit.perMs : 1;
    const most = 2 * concurrency * ends + 20 + (isUnnamed(this.#world) ? 0.8 : 0.1) * sent + forMs / 8000;
    if (refused > most) throw new Broken('waste', `${refused} of ${sent} requests were refused`);
  }

  #checkShare(): void {
    const { served } = this.#counts;
    const possible = this.#possible();
    if (served < leastShare(this.#world) * possible)
      throw new Broken('stuck', `${served} of ${Math.round(possible)} requests that were possible`);
  }

  /** How many requests the service would let through, if they came evenly. */
  #possible(): number {
    const { forMs, limit, outage, latencyMs, concurrency } = this.#world;
    const takesMs = latencyMs + (limit.kind === 'inFlight' ? limit.takesMs : 0);
    const usable = limit.kind === 'inFlight' ? limit.takesMs / takesMs : 1; // a place is free while a response is on its way
    const stepMs = forMs / 200;
    let possible = 0;
    for (let at = 0; at < forMs; at += stepMs) {
      if (at < longestWay * latencyMs) continue; // nothing has arrived yet
      // An outage that begins in this step may leave no time in it.
      if (outage !== undefined && at + stepMs > outage.fromMs && at < outage.fromMs + outage.forMs) continue;
      possible += Math.min(usable * this.#service.allowance.perSecond(at), (1000 * concurrency) / takesMs) * (stepMs / 1000);
    }
    return possible;
  }
}

/** From a client to the service, as a share of the latency. */
const longestWay = 0.625;

/** Headers that don't say all that is needed, or say what is wrong. */
const vague: ReadonlySet<NonNullable<LimitWorld['tells']>> = new Set(['remainingOnly', 'interval', 'policy', 'alwaysFull', 'alwaysEmpty']);

/** The least share of what is possible that a client must get. */
function leastShare(world: LimitWorld): number {
  const { limit, change, outage, failsEvery, tells, latencyMs } = world;
  if (tells === 'alwaysEmpty') return 0; // a limit of one request a minute says the same
  const troubles = [change, outage, failsEvery].filter((one) => one !== undefined).length;
  // Requests don't arrive as evenly as they are sent, and such a service saves too little up.
  const isUneven = 'burst' in limit && limit.burst <= Math.max(1, (limit.perSecond * latencyMs) / 4000);
  if (isUneven) return 0.02;
  return (isUnnamed(world) ? 0.25 : 0.35) / 2 ** Math.min(2, troubles);
}

/** Nothing says that it is a limit. */
function isUnnamed({ refuses, retryAfter }: LimitWorld): boolean {
  return refuses === '503' && retryAfter !== 'seconds' && retryAfter !== 'fraction' && retryAfter !== 'date';
}
