import { firstValueFrom } from 'rxjs';
import { createClient } from '../../../src/createClient.ts';
import type { Factory } from '../../../src/client/Client.ts';
import { Broken } from '../Broken.ts';
import { playWorld } from '../playWorld.ts';
import type { Visitor } from '../simulatedDispatcher.ts';
import type { Simulation } from '../Simulation.ts';
import type { WorldOutcome } from '../WorldKind.ts';
import { limitedDescription } from './limitedDescription.ts';
import { LimitedService } from './LimitedService.ts';
import { LimitRules } from './LimitRules.ts';
import type { LimitWorld } from './LimitWorld.ts';

/** A world that takes more steps than this never ends. */
const maxSteps = 200_000;

/** Runs a world to its end, or to the first rule that it breaks. */
export async function runLimits(world: LimitWorld, isTold = false): Promise<WorldOutcome> {
  return playWorld(world.seed, isTold, (simulation, random) => live(world, simulation, random.next));
}

async function live(world: LimitWorld, simulation: Simulation, random: () => number): Promise<void> {
  const visitor: Visitor & { isAlive: boolean } = { name: 'client', isAlive: true, inFlight: 0, requests: 0 };
  const service = new LimitedService(world, simulation);
  const client = createClient({
    service: limitedDescription(world),
    baseUrl: 'https://world.invalid',
    apiKey: 'any',
    dispatcher: service.door(visitor),
    clock: {
      now: () => simulation.now,
      wall: () => simulation.wall,
      after: (ms, act, idle) => simulation.after(Math.ceil(ms), act, idle !== 'idle'),
      random,
    },
    concurrency: world.concurrency,
    maxRequests: world.maxRequests,
    timeoutMs: 60_000,
  });
  const list = (client as unknown as { readonly list: Factory }).list;
  const rules = new LimitRules(world, simulation, service, visitor);
  let calls = 0;
  /** One of those who use the client: it calls, and after an error it waits as long as the error says. */
  const use = async (): Promise<void> => {
    while (simulation.now < world.forMs) {
      try {
        await firstValueFrom(list({ key: `k${++calls}` } as never));
      } catch (error) {
        const untilMs = rules.failed(error);
        if (untilMs === Infinity) return;
        await new Promise((resolve) => void simulation.after(untilMs, () => resolve(undefined)));
      }
    }
  };
  let isOver = false;
  await simulation.as(visitor, () => {
    void Promise.all(Array.from({ length: 2 * world.concurrency }, use)).then(() => (isOver = true));
  });
  const how = await simulation.run(() => isOver || rules.broken !== undefined, maxSteps);
  rules.noStray();
  if (how !== 'over')
    throw new Broken('ends', how === 'idle' ? 'it waits for something that nothing will bring' : `still busy after ${maxSteps} steps`);
  const { requests, inFlight } = client.stats();
  await simulation.as(visitor, () => client.close());
  rules.ends({ requests, inFlight });
}
