import { lastValueFrom, tap } from 'rxjs';
import { leadFlow, startWorker } from '../../../src/bullmq/index.ts';
import { createClient } from '../../../src/createClient.ts';
import { compileFlow } from '../../../src/flow/definition/compileFlow.ts';
import type { FlowDefinition, FlowSummary } from '../../../src/flow/index.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { Broken } from '../Broken.ts';
import { committedPages, type CommittedPages } from '../committedPages.ts';
import { playWorld } from '../playWorld.ts';
import type { Random } from '../Random.ts';
import { RowRules } from '../RowRules.ts';
import { outDir, RunFolder } from '../RunFolder.ts';
import { SecondState } from '../SecondState.ts';
import { SimulatedProcess } from '../SimulatedProcess.ts';
import { SimulatedService, type Sent } from '../SimulatedService.ts';
import type { Simulation } from '../Simulation.ts';
import type { World } from '../World.ts';
import { stageName, worldFlow } from '../worldFlow.ts';
import type { WorldOutcome } from '../WorldKind.ts';
import { worldService } from '../worldService.ts';
import { useRedis } from './memoryBullmq.ts';
import { MemoryRedis } from './MemoryRedis.ts';
import type { QueueWorld, Trouble } from './QueueWorld.ts';

/** A world that takes more steps than this never ends. */
const maxSteps = 400_000;
const queue = 'redis://memory.invalid';
const lockMs = 1000;

/** Runs a world to its end, or to the first rule that it breaks. */
export async function runQueue(world: QueueWorld, isTold = false): Promise<WorldOutcome> {
  return playWorld(world.seed, isTold, async (simulation, random) => {
    const life = new QueueLife(world, simulation, random);
    const second = new SecondState((broken) => life.breaks(broken));
    try {
      await life.live();
    } finally {
      second.close();
      useRedis(undefined);
    }
  });
}

interface Led {
  readonly process: SimulatedProcess;
  summary?: FlowSummary;
  error?: unknown;
  /** When it had its summary. */
  endedAt?: number;
  /** The last progress was the summary, and it has let go of the queue. */
  isOver: boolean;
}

interface Working {
  readonly process: SimulatedProcess;
  readonly concurrency: number;
  close?: () => Promise<void>;
}

class QueueLife {
  readonly #world: QueueWorld;
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #disk: MemoryDisk;
  readonly #redis: MemoryRedis;
  readonly #service: SimulatedService;
  readonly #flow: FlowDefinition;
  readonly #folder: RunFolder;
  readonly #rows: RowRules;
  readonly #names: readonly string[];
  readonly #workers: Working[] = [];
  readonly #sent = new Map<string, number>();
  #leader: Led | undefined;
  #rival: Led | undefined;
  #committed: CommittedPages | undefined;
  #processes = 0;
  #requests = 0;
  /** How often requests may have been lost with their worker, or with a leader. */
  #losses = 0;
  #due: Trouble[];
  #broken: Broken | undefined;

  constructor(world: QueueWorld, simulation: Simulation, random: Random) {
    this.#world = world;
    this.#simulation = simulation;
    this.#random = random;
    this.#due = [...world.troubles];
    this.#disk = new MemoryDisk({ now: () => simulation.wall });
    this.#redis = new MemoryRedis(simulation, random);
    useRedis(this.#redis);
    this.#service = new SimulatedService(world, simulation);
    this.#service.requested = (sent) => this.#requested(sent);
    const whole: World = { ...world, life: [] };
    this.#flow = worldFlow(whole, worldService(world), false);
    this.#folder = new RunFolder(whole, () => this.#disk);
    this.#rows = new RowRules(whole, this.#service, this.#folder);
    this.#names = compileFlow(this.#flow).stages.map(({ name }) => name);
  }

  breaks(broken: Broken): void {
    this.#broken ??= broken;
  }

  async live(): Promise<void> {
    for (const concurrency of this.#world.workers) await this.#work(concurrency);
    await this.#lead();
    for (;;) {
      const how = await this.#simulation.run(() => this.#broken !== undefined || this.#isNext(), maxSteps);
      this.#noStray();
      if (how !== 'over') throw new Broken('ends', how === 'idle' ? 'everybody waits' : `still busy after ${maxSteps} steps`);
      if (this.#isDone()) break;
      await this.#meet(
        this.#due.splice(
          this.#due.findIndex(({ at }) => at <= this.#requests),
          1,
        )[0]!,
      );
    }
    const { error, summary } = this.#leader!;
    for (const one of [error, this.#rival?.error])
      if (one !== undefined && !(this.#rival !== undefined && (one as Error).message.includes('another run leads this queue')))
        throw new Broken('reason', `a leader fails: ${(one as Error).stack}`);
    if (error !== undefined && this.#rival?.error !== undefined) throw new Broken('two leaders', 'both were refused');
    await this.#closeWorkers();
    if (this.#rival?.summary?.outcome === 'interrupted') throw new Broken('outcome', 'the rival is interrupted');
    if (error === undefined) this.#checkRows(summary!);
    if (this.#isCutOff()) await this.#leadNext();
    const { left } = this.#redis;
    if (left.length > 0) throw new Broken('left in Redis', left.join(', '));
  }

  /** Redis was away when a leader that had ended wanted to clean up. */
  #isCutOff(): boolean {
    const { failedAt } = this.#redis;
    return [this.#leader, this.#rival].some((led) => led?.endedAt !== undefined && failedAt.get(led.process)! >= led.endedAt);
  }

  /** Another run of the flow cleans up what the last one couldn't. */
  async #leadNext(): Promise<void> {
    this.#workers.length = 0;
    this.#committed = this.#rival = undefined;
    this.#losses = Infinity; // jobs that are left may be done, too
    await this.#simulation.run(() => this.#simulation.now > this.#redis.awayUntil, maxSteps);
    await this.#work(2);
    this.#leader = await this.#run('leader', '/sim/next');
    const how = await this.#simulation.run(() => this.#broken !== undefined || this.#isDone(), maxSteps);
    this.#noStray();
    if (how !== 'over') throw new Broken('ends', `the next leader: ${how}`);
    const { error, summary } = this.#leader;
    if (error !== undefined) throw new Broken('reason', `the next leader fails: ${(error as Error).stack}`);
    if (summary?.outcome === 'failed' || summary?.outcome === 'interrupted') throw new Broken('outcome', summary.outcome);
    await this.#closeWorkers();
  }

  #isDone(): boolean {
    return this.#leader!.isOver && this.#rival?.isOver !== false;
  }

  #checkRows(summary: FlowSummary): void {
    this.#rows.ends({ kind: 'run', fate: { kind: 'end' }, concurrency: 1, inFlight: 1, commitMs: 0 }, summary);
    if (summary.outcome === 'failed' || summary.outcome === 'interrupted') throw new Broken('outcome', summary.outcome);
  }

  #isNext(): boolean {
    return this.#isDone() || (!this.#leader!.isOver && this.#due.some(({ at }) => at <= this.#requests));
  }

  #noStray(): void {
    if (this.#broken !== undefined) throw this.#broken;
    const [stray] = this.#simulation.stray;
    if (stray !== undefined) throw new Broken('stray error', String((stray as Error).stack));
  }

  #start(name: string): SimulatedProcess {
    return new SimulatedProcess(this.#simulation, this.#disk, {
      name: `${name} ${++this.#processes}`,
      random: this.#random,
      changed: () => undefined,
    });
  }

  #client(process: SimulatedProcess, concurrency: number): { close(): Promise<void> } {
    const simulation = this.#simulation;
    return createClient({
      service: worldService(this.#world),
      baseUrl: 'https://world.invalid',
      apiKey: 'any',
      dispatcher: this.#service.door(process),
      clock: {
        now: () => simulation.now,
        wall: () => simulation.wall,
        after: (ms, act, idle) => simulation.after(Math.ceil(ms), act, idle !== 'idle'),
        random: this.#random.next,
      },
      concurrency,
      timeoutMs: 5000,
    });
  }

  async #work(concurrency: number): Promise<void> {
    const process = this.#start('worker');
    const working: Working = { process, concurrency };
    this.#workers.push(working);
    this.#simulation.say(() => `${process.name} begins, for ${concurrency} requests at once`);
    await this.#simulation.as(process, () => {
      const client = this.#client(process, concurrency);
      void startWorker(this.#flow, { client: client as never, queue, concurrency, lockMs }).then((worker) => {
        working.close = async () => {
          await worker.close();
          await client.close();
        };
      });
    });
  }

  async #lead(): Promise<void> {
    this.#committed = committedPages(this.#folder.read('.trawler/journal.jsonl') ?? '', this.#names);
    this.#leader = await this.#run('leader', outDir);
  }

  async #run(name: string, dir: string): Promise<Led> {
    const process = this.#start(name);
    const led: Led = { process, isOver: false };
    const { simulation, fileSystem } = { simulation: this.#simulation, fileSystem: process.fileSystem };
    simulation.say(() => `${process.name} begins`);
    await simulation.as(process, () => {
      const client = this.#client(process, 8);
      const options = { queue, outDir: dir, fileSystem, commitMs: this.#world.commitMs, client: client as never };
      const said = tap((event: object) => {
        if ('outcome' in event) led.endedAt = simulation.now;
        if ('message' in event) simulation.say(() => JSON.stringify(event));
      });
      void lastValueFrom(leadFlow(this.#flow, options).pipe(said))
        .then(
          (summary) => (led.summary = summary as FlowSummary),
          (error: unknown) => (led.error = error),
        )
        .then(() => (led.isOver = true));
    });
    return led;
  }

  #requested({ process, operation, key, part, from, scroll, address }: Sent): void {
    this.#requests += 1;
    const worker = this.#workers.find((one) => one.process.name === process);
    if (worker === undefined) return this.#break('who', `${process} sends a request`);
    if (worker.process.inFlight > worker.concurrency) return this.#break('concurrency', `${worker.process.inFlight} of ${process}`);
    if (scroll !== undefined) return; // a leader that takes up a walk whose pages the service counts starts over
    const { size } = this.#world.operations[operation]!;
    const all = this.#service.truth.visible(operation, key, 0, part, false).length;
    const looks = from + size >= all ? 1 : 0; // the end of a walk may be looked at twice
    const stage = stageName(this.#world.stages.findIndex((one) => one.operation === operation));
    const { pages = 0, ended = false } = this.#committed?.get(`${stage} ${key} ${part ?? ''}`) ?? {};
    const startsOver = pages === 1 && from === 0 && !ended; // where a kill left one page of a walk
    const page = Math.ceil(from / size); // behind a last page that wasn't full comes one more
    if (this.#rival === undefined && !startsOver && (ended || page < pages - looks))
      return this.#break('paid twice', `${address} was committed before`);
    const { mishaps = [], claims = 0 } = this.#world.operations[operation]!;
    const count = (this.#sent.get(address) ?? 0) + 1;
    this.#sent.set(address, count);
    const isClean = mishaps.length === 0 && claims === 0 && this.#world.limit === undefined;
    const ends = this.#rival === undefined ? looks : 2 * looks; // a rival that leads later comes to each end, too
    if (isClean && count > 1 + ends + this.#losses) this.#break('paid twice', `${address} is requested ${count} times`);
  }

  #break(rule: string, what: string): void {
    this.#broken ??= new Broken(rule, what);
  }

  async #meet({ kind }: Trouble): Promise<void> {
    const simulation = this.#simulation;
    const [first] = this.#workers.filter(({ process }) => process.isAlive);
    this.#losses += 1;
    simulation.say(() => `trouble: ${kind}`);
    switch (kind) {
      case 'killWorker':
        if (first === undefined) return;
        first.process.die();
        await simulation.as(first.process, () => undefined);
        first.process.bury();
        return this.#work(first.concurrency);
      case 'closeWorker':
        if (first?.close === undefined) return;
        await simulation.as(first.process, () => void first.close!());
        return this.#work(first.concurrency);
      case 'stall':
        for (const job of this.#redis.jobs.values()) job.lockedUntil = 0;
        return this.#redis.unstall();
      case 'away':
        this.#redis.awayUntil = simulation.now + this.#random.whole(100, 5000);
        return;
      case 'rival':
        this.#rival ??= await this.#run('rival', '/sim/elsewhere');
        return;
      default: {
        const { process } = this.#leader!;
        process.die();
        await simulation.as(process, () => undefined);
        process.bury();
        await this.#lead();
      }
    }
  }

  async #closeWorkers(): Promise<void> {
    let left = 0;
    for (const { process, close } of this.#workers)
      if (process.isAlive && close !== undefined) {
        left += 1;
        await this.#simulation.as(process, () => void close().then(() => (left -= 1)));
      }
    if ((await this.#simulation.run(() => left === 0, maxSteps)) !== 'over') throw new Broken('ends', 'a worker does not close');
    const restMs = this.#simulation.now + 1000; // calls of Redis that were on their way
    await this.#simulation.run(() => this.#simulation.now > restMs, maxSteps);
    this.#noStray();
    for (const { process } of this.#workers) {
      const timers = process.isAlive ? this.#simulation.held(process) : 0;
      if (process.isAlive && process.inFlight !== 0)
        throw new Broken('in flight', `${process.inFlight} requests at the end of ${process.name}`);
      if (timers !== 0) throw new Broken('timers', `${timers} at the end of ${process.name}`);
    }
    const { process } = this.#leader!;
    if (process.openFiles.length > 0) throw new Broken('open files', process.openFiles.join(', '));
  }
}
