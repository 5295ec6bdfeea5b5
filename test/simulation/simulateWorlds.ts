import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { drawWorld } from './drawWorld.ts';
import { runWorld } from './runWorld.ts';
import { shrinkWorld } from './shrinkWorld.ts';
import { oldWorlds } from './oldWorlds.ts';
import type { World } from './World.ts';

const help = `npm run simulate -- [options]

  --seed N      the first world. Left out: that of the day
  --worlds N    how many worlds, from that one on. Left out: 1
  --minutes N   worlds for so many minutes of CPU
  --old         also the worlds in test/simulation/oldWorlds.ts
  --all         go on after a failure, and count
  --brief       a failure is one line, and isn't made smaller
  --story       tell the story of each world, as is done for one that fails
  --digest      print a digest of all stories: the same for the same worlds, on every Node`;

/** Runs worlds as the command line says. Returns the exit code. */
export async function simulate(args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
      worlds: { type: 'string' },
      minutes: { type: 'string' },
      old: flag,
      all: flag,
      brief: flag,
      story: flag,
      digest: flag,
      help: flag,
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const { minutes, worlds = minutes === undefined ? 1 : Infinity } = values;
  const started = process.cpuUsage().user;
  const seconds = (): number => (process.cpuUsage().user - started) / 1e6;
  const digest = createHash('sha256');
  const broken = new Map<string, number>();
  let [done, steps] = [0, 0];
  const old = values.old ? oldWorlds.length : 0;
  for (const world of worldsFrom(Number(values.seed), old)) {
    if (done >= Number(worlds) + old || seconds() >= Number(minutes ?? Infinity) * 60) break;
    const { seed } = world;
    const outcome = await runWorld(world, values.story || values.digest);
    done += 1;
    steps += outcome.steps;
    digest.update(outcome.story.join('\n'));
    if (values.story) console.log(outcome.story.join('\n'));
    if (outcome.broken === undefined) continue;
    const { rule, message } = outcome.broken;
    broken.set(rule, (broken.get(rule) ?? 0) + 1);
    console.log(`Seed ${seed} breaks a rule: ${message}\n`);
    if (values.all) continue;
    if (!values.brief) console.log(await failureOf(world, rule));
    break;
  }
  console.log(
    `${done} worlds from seed ${values.seed}, ${steps} steps, ${seconds().toFixed(1)} s of CPU, ${Math.round((done / seconds()) * 60)} worlds a minute`,
  );
  for (const [rule, count] of broken) console.log(`${rule}: ${count}`);
  if (values.digest) console.log(`digest: ${digest.digest('hex')}`);
  return broken.size > 0 ? 1 : 0;
}

function* worldsFrom(first: number, old: number): Generator<World, void, undefined> {
  for (const [, world] of oldWorlds.slice(0, old)) yield JSON.parse(world) as World;
  for (let seed = first; ; seed++) yield drawWorld(seed);
}

/** What a failure prints: the smallest world that still breaks the rule, and its story. */
async function failureOf(world: World, rule: string): Promise<string> {
  const breaks = async (one: World): Promise<boolean> => (await runWorld(one)).broken?.rule === rule;
  const smallest = await shrinkWorld(world, breaks);
  const { story } = await runWorld(smallest, true);
  return `${story.join('\n')}

This is the smallest world that does what seed ${world.seed} did. Once more: npm run simulate -- --seed ${world.seed}
To keep it, add a line to test/simulation/oldWorlds.ts:
  ['', '${JSON.stringify(smallest)}'],
`;
}
