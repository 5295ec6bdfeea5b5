import { Broken } from './Broken.ts';
import type { CommittedPages } from './committedPages.ts';
import type { SimulatedProcess } from './SimulatedProcess.ts';
import type { Sent, SimulatedService } from './SimulatedService.ts';
import type { Run, World } from './World.ts';
import { stageName } from './worldFlow.ts';

/** What must be true of each request of a process. */
export class RequestRules {
  readonly #world: World;
  readonly #service: SimulatedService;
  readonly #run: Run;
  /** What was committed before the process began. undefined: some of it may be requested again. */
  readonly #committed: CommittedPages | undefined;
  /** Good responses so far, by address. */
  readonly #good = new Map<string, number>();

  constructor(world: World, service: SimulatedService, run: Run, committed: CommittedPages | undefined) {
    this.#world = world;
    this.#service = service;
    this.#run = run;
    this.#committed = committed;
  }

  check(process: SimulatedProcess, sent: Sent): void {
    const { maxRequests = Infinity, inFlight } = this.#run;
    if (process.requests > maxRequests) throw new Broken('budget', `${process.requests} requests of ${maxRequests}`);
    if (process.inFlight > inFlight) throw new Broken('concurrency', `${process.inFlight} requests in flight of ${inFlight}`);
    // Who takes up a walk whose pages the service counts starts over.
    if (sent.scroll !== undefined || !this.#isClean(sent.operation)) return;
    const { operation, key, part, from, address } = sent;
    const { size, paging } = this.#world.operations[operation]!;
    const visible = this.#service.truth.visible(operation, key, this.#service.day, part, address.includes('sort=new'));
    const all = visible.length;
    const { until } = this.#world.stages.find((one) => one.operation === operation)!;
    const sought = visible.findIndex(({ rank }) => rank === until);
    if (sought >= 0 && from > sought) throw new Broken('found', `${address} lies behind the row that is looked for`);
    const looks = from + size >= all ? 1 : 0; // the end of a walk may be looked at twice
    const stage = stageName(this.#world.stages.findIndex((one) => one.operation === operation));
    const { pages = 0, ended = false } = this.#committed?.get(`${stage} ${key} ${part ?? ''}`) ?? {};
    // A service may count the pages of a token: where a walk of one page was cut off, and the next has no token, it starts over.
    const mayStartOver = (paging === 'token' || paging === 'more') && pages === 1;
    if (ended || Math.ceil(from / size) < pages - (mayStartOver ? 1 : looks))
      throw new Broken('paid twice', `${address} was committed before`);
    if ((this.#good.get(address) ?? 0) > looks) throw new Broken('paid twice', `${address} brought this process its page before`);
  }

  /** A good response has come. */
  came({ address }: Sent): void {
    this.#good.set(address, (this.#good.get(address) ?? 0) + 1);
  }

  /**
   * Whether nothing goes wrong with an operation's responses, so that each is needed once. Where another one always fails, a page that
   * came before is requested to see whether the service is there.
   */
  #isClean(number: number): boolean {
    const { outage, operations, life } = this.#world;
    const { mishaps = [], claims = 0 } = operations[number]!;
    const isWatched = operations.some((one) => one.mishaps?.some(({ times }) => times > 3));
    // Where a day passes meanwhile, a walk may stand elsewhere than it did.
    const isSteady = !life.some((step) => step.kind === 'run' && step.dayAt !== undefined);
    return outage === undefined && isSteady && !isWatched && mishaps.length === 0 && claims === 0;
  }
}
