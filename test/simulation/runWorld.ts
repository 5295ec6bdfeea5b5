import { lastValueFrom, tap } from 'rxjs';
import { createClient } from '../../src/createClient.ts';
import type { Service } from '../../src/contract/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import type { Flow } from '../../src/flow/definition/Flow.ts';
import { runFlow, type FlowProgress, type FlowSummary } from '../../src/flow/index.ts';
import { openStore } from '../../src/store/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { Broken } from './Broken.ts';
import { forgetClient } from './forgetClient.ts';
import { hashOf, Random } from './Random.ts';
import { playWorld } from './playWorld.ts';
import { outDir } from './RunFolder.ts';
import { SecondState } from './SecondState.ts';
import { SimulatedProcess } from './SimulatedProcess.ts';
import { SimulatedService } from './SimulatedService.ts';
import type { Simulation } from './Simulation.ts';
import type { DiskCount, Fate, LifeStep, Run, World } from './World.ts';
import { worldFlow } from './worldFlow.ts';
import type { WorldOutcome } from './WorldKind.ts';
import { worldService } from './worldService.ts';
import { storeFolder, WorldRules } from './WorldRules.ts';

/** What a process came to. */
export type Ended =
  | { readonly kind: 'summary'; readonly summary: FlowSummary }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'died' };

/** A process that takes more steps than this never ends: as things go, and once nothing goes wrong any more. */
const maxSteps = 60_000;
const calmSteps = 30_000;
/** A process that does nothing for so many steps but keep its lock waits for something that nothing will bring. */
const idleSteps = 2000;

/** How long a slow disk syncs, in milliseconds. A response takes 61 at most. */
const slowSyncMs = 80;

/** Runs a world to its end, or to the first rule that it breaks. Only a world that is told has errors with a stack. */
export async function runWorld(world: World, isTold = false): Promise<WorldOutcome> {
  Error.stackTraceLimit = isTold ? 10 : 0;
  return playWorld(world.seed, isTold, async (simulation) => {
    const life = new Life(world, simulation);
    const second = new SecondState((broken) => life.breaks(broken));
    try {
      await life.live();
    } finally {
      second.close();
      life.clients.forEach(forgetClient);
    }
  });
}

/** A life in a world: one process after the other, and what happens in between. */
class Life {
  readonly clients: object[] = [];
  readonly #world: World;
  readonly #simulation: Simulation;
  readonly #service: SimulatedService;
  readonly #rules: WorldRules;
  readonly #random: Random;
  readonly #description: Service;
  /** The flow, and the flow as edited: compiled once for all runs. */
  readonly #flows = new Map<boolean, Flow>();
  #disk: MemoryDisk;
  #processes = 0;
  #edited = false;

  constructor(world: World, simulation: Simulation) {
    this.#world = world;
    this.#simulation = simulation;
    simulation.leastTickMs = 1000; // most of them only tell the progress
    this.#service = new SimulatedService(world, simulation);
    this.#disk = new MemoryDisk({
      windows: world.windows === true,
      now: () => simulation.wall,
      after: (ms, run, idle) => (idle === 'idle' ? simulation.tick(ms, run, false) : simulation.after(ms, run)),
    });
    this.#random = new Random(hashOf(world.seed, 'life'));
    this.#description = worldService(world);
    this.#service.came = (sent) => this.#rules.came(sent);
    this.#rules = new WorldRules({ world, service: this.#service, simulation, disk: () => this.#disk });
  }

  breaks(broken: Broken): void {
    this.#rules.broken ??= broken;
  }

  async live(): Promise<void> {
    for (const step of this.#world.life) await this.#take(step);
    this.#service.calm = true;
    this.#simulation.say(() => 'from now on all is well');
    const calm = { kind: 'run', fate: { kind: 'end' }, concurrency: 4, inFlight: 4, commitMs: 20 } as const;
    for (let runs = 1; ; runs++) {
      const ended = await this.#run(calm);
      if (ended.kind === 'summary' && ended.summary.outcome !== 'interrupted') break;
      if (runs === 4) throw new Broken('ends', `four runs without any trouble left it unfinished: ${describe(ended)}`);
    }
    if (this.#rules.hasFailures) await this.#run({ ...calm, failures: true });
    const last = await this.#run({ ...calm, update: true });
    await this.#rules.atLast(last);
  }

  async #take(step: LifeStep): Promise<void> {
    switch (step.kind) {
      case 'clock':
        this.#rules.clockMoves();
        this.#simulation.shift += step.ms;
        return this.#simulation.say(() => `somebody moves the clock by ${step.ms / 1000} s`);
      case 'day':
        if (!this.#rules.isSettled) return;
        this.#service.day += 1;
        this.#simulation.now += 86_400_000;
        return this.#simulation.say(() => `day ${this.#service.day}`);
      case 'edit':
        this.#edited = !this.#edited;
        return this.#simulation.say(() => 'somebody edits failAbove');
      case 'run':
        await this.#run(step);
    }
  }

  async #run(run: Run): Promise<Ended> {
    const simulation = this.#simulation;
    const { fate } = run;
    const stopping = new AbortController();
    const process = this.#start(fate, stopping);
    this.#service.requested = (sent) => {
      if (sent.process !== process.name) return;
      process.lastStep = simulation.steps;
      this.#rules.requested(process, sent);
      if (process.requests === run.dayAt) this.#passDay();
      this.#meet(fate, 'request', process.requests, process, stopping);
    };
    process.lastStep = simulation.steps;
    simulation.say(() => `${process.name} begins: ${JSON.stringify(run)}`);
    this.#rules.begins(run);
    let ended: Ended | undefined;
    let rival: Promise<void> | undefined;
    await simulation.as(process, () => {
      void this.#live(process, run, stopping.signal).then((result) => (ended = result));
    });
    if (run.rival !== undefined) {
      await simulation.run(
        () => ended !== undefined || !process.isAlive || this.#rules.broken !== undefined || process.requests >= run.rival!,
        maxSteps,
      );
      if (ended === undefined && process.isAlive) rival = this.#compete(run);
    }
    const isIdle = (): boolean => simulation.steps - process.lastStep > idleSteps;
    const isOver = (): boolean => ended !== undefined || !process.isAlive || this.#rules.broken !== undefined;
    const most = this.#service.calm ? calmSteps : maxSteps;
    const how = await simulation.run(() => isOver() || isIdle(), most);
    this.#rules.noStray();
    if (how === 'endless') throw new Broken('ends', `${process.name} is still busy after ${most} steps`);
    if (how === 'idle' || !isOver()) throw new Broken('ends', `${process.name} waits for something that nothing will bring`);
    await rival;
    if (!process.isAlive) return this.#bury(process, fate);
    simulation.say(() => `${process.name} ${describe(ended!)}`);
    this.#rules.ends(process, run, ended!);
    process.die();
    if (fate.kind === 'power') {
      this.#losePower();
      this.#rules.lostPower();
    }
    return ended!;
  }

  /** Rows come, change and go while a process runs. */
  #passDay(): void {
    this.#service.day += 1;
    this.#rules.dayPassed();
    this.#simulation.say(() => `day ${this.#service.day}, from the next response on`);
  }

  #start(fate: Fate, stopping: AbortController): SimulatedProcess {
    const process: SimulatedProcess = new SimulatedProcess(this.#simulation, this.#disk, {
      name: `process ${++this.#processes}`,
      random: this.#random,
      syncMs: this.#world.slowDisk === true ? slowSyncMs : undefined,
      trouble: fate.kind === 'full' || fate.kind === 'broken' ? fate : undefined,
      changed: (on, count) => this.#meet(fate, on, count, process, stopping),
    });
    return process;
  }

  /** What fate has for a process at this moment. */
  #meet(fate: Fate, on: DiskCount | 'request', count: number, process: SimulatedProcess, stopping: AbortController): void {
    if (fate.kind !== 'kill' && fate.kind !== 'power' && fate.kind !== 'stop') return;
    if (fate.on !== on || fate.at !== count) return;
    this.#simulation.say(() => (fate.kind === 'stop' ? 'is asked to stop' : fate.kind === 'kill' ? 'is killed' : 'loses its power'));
    if (fate.kind === 'stop') stopping.abort();
    else process.die();
  }

  /** What is left of a dead process. */
  async #bury(process: SimulatedProcess, fate: Fate): Promise<Ended> {
    await this.#simulation.as(process, () => undefined); // promises that were on their way
    if (fate.kind === 'power') this.#losePower();
    else process.bury();
    return { kind: 'died' };
  }

  #losePower(): void {
    this.#simulation.say(() => 'the power is gone, and comes back');
    this.#rules.powerWasCut = true;
    this.#disk = this.#disk.powerCut(this.#random.next);
  }

  /** A life of one process. */
  async #live(process: SimulatedProcess, run: Run, signal: AbortSignal): Promise<Ended> {
    const { fileSystem } = process;
    const service = this.#description;
    const simulation = this.#simulation;
    const clock = {
      now: () => simulation.now,
      wall: () => simulation.wall,
      after: (ms: number, act: () => void, idle?: 'idle') => simulation.after(Math.ceil(ms), act, idle !== 'idle'),
      random: this.#random.next,
    };
    let store: ReturnType<typeof openStore> | undefined;
    try {
      if (this.#world.store === true) store = openStore(storeFolder, { fileSystem });
    } catch (error) {
      return { kind: 'error', error };
    }
    const client = createClient({
      service,
      baseUrl: 'https://world.invalid',
      apiKey: 'any',
      dispatcher: this.#service.door(process),
      clock,
      concurrency: run.inFlight,
      rate: this.#world.limit === undefined ? 'unlimited' : 'auto',
      timeoutMs: 5000,
      store,
    });
    this.clients.push(client);
    try {
      const { failures, update, maxRequests, concurrency, commitMs } = run;
      const options = { outDir, fileSystem, failures, update, maxRequests, concurrency, commitMs, signal };
      const progress = runFlow(this.#flow(), { client: client as never, ...options });
      const said = tap((event: FlowProgress) => describeProgress(event, simulation));
      return { kind: 'summary', summary: (await lastValueFrom(progress.pipe(said))) as FlowSummary };
    } catch (error) {
      return { kind: 'error', error };
    } finally {
      const { inFlight } = client.stats();
      if (process.isAlive && inFlight > 0)
        this.#rules.broken ??= new Broken('in flight', `${inFlight} requests when the run of ${process.name} is over`);
      // A store that couldn't write says so once more when it is closed.
      await client.close().catch(() => undefined);
      await store?.close().catch(() => undefined);
    }
  }

  #flow(): Flow {
    let flow = this.#flows.get(this.#edited);
    if (flow === undefined) this.#flows.set(this.#edited, (flow = compileFlow(worldFlow(this.#world, this.#description, this.#edited))));
    return flow;
  }

  /** Another process tries the same folder while the first is busy. */
  async #compete(run: Run): Promise<void> {
    const rival = this.#start({ kind: 'end' }, new AbortController());
    const simulation = this.#simulation;
    let ended: Ended | undefined;
    await simulation.as(rival, () => {
      void this.#live(rival, { ...run, rival: undefined }, new AbortController().signal).then((result) => (ended = result));
    });
    await simulation.run(() => ended !== undefined, 500);
    simulation.say(() => `${rival.name}, a rival, ${ended === undefined ? 'waits' : describe(ended)}`);
    this.#rules.competed(ended);
    rival.die();
  }
}

function describe(ended: Ended): string {
  if (ended.kind === 'died') return 'died';
  if (ended.kind === 'error') return `fails: ${String(ended.error)}`;
  const { outcome, because, requests, already } = ended.summary;
  return `ends: ${outcome}${already ? ', already' : ''}, ${requests} requests${because === undefined ? '' : ` (${because})`}`;
}

function describeProgress(event: FlowProgress, simulation: Simulation): void {
  if (event.type === 'progress' || event.type === 'summary' || event.type === 'tile') return;
  const { type, at: _, ...rest } = event;
  simulation.say(() => `${type} ${JSON.stringify({ ...rest, ms: undefined, stages: undefined })}`);
}
