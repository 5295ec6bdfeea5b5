import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { drawWorld } from './drawWorld.ts';
import { limits } from './limits/limits.ts';
import { pipes } from './pipes/pipes.ts';
import { oldWorlds } from './oldWorlds.ts';
import { queue } from './queue/queue.ts';
import { runWorld } from './runWorld.ts';
import { shrinkWorld, smallerWorlds } from './shrinkWorld.ts';
import type { WorldKind } from './WorldKind.ts';

type AnyWorld = { readonly seed: number };

const flows = { draw: drawWorld, run: runWorld, smaller: smallerWorlds, old: oldWorlds, oldFile: 'oldWorlds.ts' };
const kinds: { readonly [of: string]: WorldKind<AnyWorld> } = { flows, limits, pipes, queue } as object as {
  [of: string]: WorldKind<AnyWorld>;
};

const today = Math.floor(Date.now() / 86_400_000);

const help = `npm run simulate -- [options]

  --of KIND     what is simulated: ${Object.keys(kinds).join(', ')}. Left out: flows
  --seed N      the first world. Left out: that of the day
  --worlds N    how many worlds, from that one on. Left out: 1
  --minutes N   worlds for so many minutes of CPU
  --old         also those that broke a rule once
  --tenth       of those one in ten, others every day
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
      of: { type: 'string', default: 'flows' },
      seed: { type: 'string', default: String(today) },
      worlds: { type: 'string' },
      minutes: { type: 'string' },
      old: flag,
      tenth: flag,
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
  const kind = kinds[values.of];
  if (kind === undefined) throw new Error(`--of takes one of ${Object.keys(kinds).join(', ')}`);
  const { minutes, worlds = minutes === undefined ? 1 : Infinity } = values;
  const started = process.cpuUsage().user;
  const seconds = (): number => (process.cpuUsage().user - started) / 1e6;
  const digest = createHash('sha256');
  const broken = new Map<string, number>();
  let [done, steps] = [0, 0];
  const old = values.old ? kind.old.filter((_, index) => !values.tenth || (index + today) % 10 === 0) : [];
  for (const world of worldsFrom(kind, Number(values.seed), old)) {
    if (done >= Number(worlds) + old.length || (minutes !== undefined && seconds() >= Number(minutes) * 60)) break;
    const { seed } = world;
    const outcome = await kind.run(world, values.story || values.digest);
    done += 1;
    steps += outcome.steps;
    digest.update(outcome.story.join('\n'));
    if (values.story) console.log(outcome.story.join('\n'));
    if (outcome.broken === undefined) continue;
    const { rule, message } = (await kind.run(world, true)).broken!; // once more, for the stack
    broken.set(rule, (broken.get(rule) ?? 0) + 1);
    console.log(`Seed ${seed} breaks a rule: ${message}\n`);
    if (values.all) continue;
    if (!values.brief) console.log(await failureOf(kind, values.of, world, rule));
    break;
  }
  console.log(
    `${done} worlds from seed ${values.seed}, ${steps} steps, ${seconds().toFixed(1)} s of CPU, ${Math.round((done / seconds()) * 60)} worlds a minute`,
  );
  for (const [rule, count] of broken) console.log(`${rule}: ${count}`);
  if (values.digest) console.log(`digest: ${digest.digest('hex')}`);
  return broken.size > 0 ? 1 : 0;
}

function* worldsFrom(kind: WorldKind<AnyWorld>, first: number, old: WorldKind<AnyWorld>['old']): Generator<AnyWorld, void, undefined> {
  for (const [, world] of old) yield JSON.parse(world) as AnyWorld;
  for (let seed = first; ; seed++) yield kind.draw(seed);
}

/** What a failure prints: the smallest world that still breaks the rule, and its story. */
async function failureOf(kind: WorldKind<AnyWorld>, of: string, world: AnyWorld, rule: string): Promise<string> {
  const breaks = async (one: AnyWorld): Promise<boolean> => (await kind.run(one)).broken?.rule === rule;
  const smallest = await shrinkWorld(world, (one) => kind.smaller(one), breaks);
  const { story } = await kind.run(smallest, true);
  return `${shortened(story).join('\n')}

This is the smallest world that does what seed ${world.seed} did. Once more: npm run simulate -- ${of === 'flows' ? '' : `--of ${of} `}--seed ${world.seed}
To keep it, add a line to test/simulation/${kind.oldFile}:
  ['', '${JSON.stringify(smallest)}'],
`;
}

/** What matters of a long story: how it begins, and its end. */
function shortened(story: readonly string[]): readonly string[] {
  return story.length <= 400
    ? story
    : [...story.slice(0, 100), `… ${story.length - 400} more lines, told by --story …`, ...story.slice(-300)];
}
