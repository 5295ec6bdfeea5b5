import { NEVER, takeUntil, timer, type Observable, type Subscription } from 'rxjs';
import { fanOut, iterate } from '../../../operators/index.ts';
import type { AnyClient } from '../../../src/client/Client.ts';
import { createClient } from '../../../src/createClient.ts';
import { toJsonl } from '../../../src/sinks/index.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { Broken } from '../Broken.ts';
import { playWorld } from '../playWorld.ts';
import type { Random } from '../Random.ts';
import { SimulatedProcess } from '../SimulatedProcess.ts';
import { SimulatedService } from '../SimulatedService.ts';
import type { Simulation } from '../Simulation.ts';
import type { WorldOutcome } from '../WorldKind.ts';
import { worldService } from '../worldService.ts';
import type { WorldRow } from '../WorldTruth.ts';
import { buildPipe } from './buildPipe.ts';
import { PipeRules, type Taken } from './PipeRules.ts';
import type { PipeWorld } from './PipeWorld.ts';

/** A world that takes more steps than this never ends. */
const maxSteps = 60_000;
const path = '/sim/rows.jsonl';

/** Runs a world to its end, or to the first rule that it breaks. */
export async function runPipe(world: PipeWorld, isTold = false): Promise<WorldOutcome> {
  return playWorld(world.seed, isTold, (simulation, random) => new PipeLife(world, simulation, random).live());
}

class PipeLife {
  readonly #world: PipeWorld;
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #disk = new MemoryDisk();
  readonly #process: SimulatedProcess;
  readonly #rules: PipeRules;
  readonly #client: AnyClient;
  readonly #takers: Taken[] = [];

  constructor(world: PipeWorld, simulation: Simulation, random: Random) {
    this.#world = world;
    this.#simulation = simulation;
    this.#random = random;
    this.#process = new SimulatedProcess(simulation, this.#disk, { name: 'pipe', random, changed: () => undefined });
    const service = new SimulatedService(world, simulation);
    this.#rules = new PipeRules(world, service, this.#process);
    this.#client = createClient({
      service: worldService(world),
      baseUrl: 'https://world.invalid',
      apiKey: 'any',
      dispatcher: service.door(this.#process),
      clock: {
        now: () => simulation.now,
        wall: () => simulation.wall,
        after: (ms, act, idle) => simulation.after(Math.ceil(ms), act, idle !== 'idle'),
        random: random.next,
      },
      concurrency: world.inFlight,
      maxRequests: world.maxRequests,
      rate: 'unlimited',
      timeoutMs: 5000,
    });
    this.#client.events$.subscribe((event) => {
      if (event.type === 'short') this.#rules.short(event);
    });
  }

  async live(): Promise<void> {
    const { life } = this.#world;
    const simulation = this.#simulation;
    let late = life.kind === 'twice';
    simulation.say(() => JSON.stringify(this.#world.steps));
    await simulation.as(this.#process, () => {
      const pipe = this.#pipe();
      this.#take(pipe);
      if (life.kind === 'twice')
        simulation.after(life.ms, () => {
          late = false;
          this.#take(pipe);
        });
      if (life.kind === 'close')
        simulation.after(life.ms, () => (simulation.say(() => 'the client is closed'), void this.#client.close()), false);
    });
    const isOver = (): boolean => this.#rules.broken !== undefined || (!late && this.#takers.every(({ end }) => end !== undefined));
    const how = await simulation.run(isOver, maxSteps);
    this.#noStray();
    if (how === 'endless') throw new Broken('ends', `still busy after ${maxSteps} steps`);
    if (how === 'idle') throw new Broken('ends', 'it waits for something that nothing will bring');
    this.#rules.isOver = true;
    for (const taken of this.#takers) this.#rules.ends(taken);
    // Nobody wants anything any more, although the client is still open.
    const quietMs = simulation.now + 3000;
    await simulation.run(() => simulation.now > quietMs || this.#rules.broken !== undefined, maxSteps);
    this.#noStray();
    await simulation.as(this.#process, () => this.#client.close());
    const restMs = simulation.now + 20_000;
    await simulation.run(() => simulation.now > restMs, maxSteps);
    this.#noStray();
    this.#rules.over(simulation.held(this.#process));
  }

  #noStray(): void {
    if (this.#rules.broken !== undefined) throw this.#rules.broken;
    const [stray] = this.#simulation.stray;
    if (stray !== undefined) throw new Broken('stray error', String((stray as Error).stack));
  }

  #pipe(): Observable<WorldRow> {
    const { life } = this.#world;
    const rows = buildPipe(this.#world, {
      client: this.#client,
      brought: (operation) => this.#rules.brought(operation),
      skipped: (cause) => {
        this.#rules.skipped += 1;
        this.#simulation.say(() => `skips ${String(cause)}`);
      },
    });
    return rows.pipe(takeUntil(life.kind === 'takeUntil' ? timer(life.ms) : NEVER));
  }

  /** A subscriber. */
  #take(rows: Observable<WorldRow>): void {
    const taken: Taken = { rows: [] };
    this.#takers.push(taken);
    const { life, sink } = this.#world;
    const simulation = this.#simulation;
    const end = (how: NonNullable<Taken['end']>): void => {
      if (taken.end !== undefined) return this.#stray(`a second end: ${typeof how}`);
      simulation.say(() => (typeof how === 'string' ? how : `fails: ${String(how.error)}`));
      taken.end = how;
    };
    let subscription: Pick<Subscription, 'unsubscribe'> | undefined;
    const leave = (): void => {
      if (taken.end !== undefined) return;
      simulation.say(() => 'leaves');
      taken.end = 'left';
      subscription?.unsubscribe();
    };
    const takes = (row: WorldRow): void => {
      if (taken.end !== undefined) this.#stray(`${row.id} comes after the end`);
      simulation.say(() => `takes ${row.id}`);
      taken.rows.push(row);
      if (life.kind === 'leave' && taken.rows.length >= life.rows) leave();
    };
    if (life.kind === 'leaveAt') simulation.after(life.ms, leave, false);
    const observer = { complete: () => end('complete'), error: (error: unknown) => end({ error }) };
    if (sink === 'loop') {
      const loop = iterate(rows)[Symbol.asyncIterator]();
      subscription = { unsubscribe: () => void loop.return?.() };
      const failed = (error: unknown): void => {
        if (taken.end === undefined) end({ error });
      };
      return void this.#loop(loop, taken, takes).then(() => taken.end ?? end('complete'), failed);
    }
    const outcome$ = sink === 'fanOut' ? rows.pipe(fanOut((row) => this.#slowly(row), { concurrency: 1 })) : rows;
    if (sink === 'file' && this.#takers.length === 1 && !life.kind.startsWith('leave'))
      subscription = rows.pipe(toJsonl(path, { fileSystem: this.#process.fileSystem })).subscribe({
        ...observer,
        complete: () => {
          const lines = this.#disk.read(path)?.toString().split('\n').slice(0, -1) ?? [];
          taken.rows.push(...lines.map((line) => JSON.parse(line) as WorldRow));
          end('complete');
        },
      });
    else subscription = outcome$.subscribe({ ...observer, next: takes });
    if (taken.end === 'left') subscription.unsubscribe(); // while it subscribed
  }

  async #loop(loop: AsyncIterator<WorldRow>, taken: Taken, takes: (row: WorldRow) => void): Promise<void> {
    for (let next = await loop.next(); next.done !== true && taken.end === undefined; next = await loop.next()) {
      takes(next.value);
      if (taken.end === undefined) await this.#slowly(next.value);
    }
  }

  #slowly(row: WorldRow): Promise<WorldRow> {
    return new Promise((resolve) => {
      this.#simulation.after(this.#random.whole(1, 60), () => {
        this.#rules.consumed += 1;
        resolve(row);
      });
    });
  }

  #stray(what: string): void {
    this.#rules.broken ??= new Broken('after the end', what);
  }
}
