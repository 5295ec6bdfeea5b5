import { Broken } from './Broken.ts';
import { hashOf, Random } from './Random.ts';
import { inSimulation } from './simulatedGlobals.ts';
import { Simulation } from './Simulation.ts';
import type { WorldOutcome } from './WorldKind.ts';

/** Plays what happens in the world of a seed to its end, or to the first rule that it breaks. */
export async function playWorld(
  seed: number,
  isTold: boolean,
  live: (simulation: Simulation, random: Random) => Promise<void>,
): Promise<WorldOutcome> {
  const simulation = new Simulation(isTold);
  const random = new Random(hashOf(seed, 'numbers'));
  const broken = await inSimulation(simulation, random.next, async () => {
    try {
      await live(simulation, random);
      return undefined;
    } catch (error) {
      // What a rule can't read, such as a torn file, is wrong, too.
      return error instanceof Broken ? error : new Broken('unreadable', String((error as Error).stack));
    }
  });
  if (broken !== undefined) simulation.say(() => `BROKEN ${broken.message}`);
  return { broken, story: simulation.story, steps: simulation.steps };
}
