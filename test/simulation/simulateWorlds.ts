import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { drawWorld } from './drawWorld.ts';
import { runWorld } from './runWorld.ts';

/** Runs worlds as the command line says. Returns the exit code. */
export async function simulate(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      worlds: { type: 'string' },
      minutes: { type: 'string' },
      trace: { type: 'boolean', default: false },
      digest: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
    },
  });
  const first = Number(values.seed);
  const worlds = Number(values.worlds ?? (values.minutes === undefined ? 1 : Infinity));
  const until = process.cpuUsage().user / 1000 + Number(values.minutes ?? Infinity) * 60_000;
  const digest = createHash('sha256');
  let done = 0;
  let steps = 0;
  const broken = new Map<string, number>();
  const started = process.cpuUsage().user;
  for (let seed = first; done < worlds && process.cpuUsage().user / 1000 < until; seed++, done++) {
    const world = drawWorld(seed);
    const outcome = await runWorld(world, values.trace || values.digest);
    steps += outcome.steps;
    if (values.digest) digest.update(outcome.trace.join('\n'));
    if (values.trace) console.log(`${JSON.stringify(world, null, 1)}\n${outcome.trace.join('\n')}`);
    if (outcome.broken === undefined) continue;
    const { rule, message } = outcome.broken;
    broken.set(rule, (broken.get(rule) ?? 0) + 1);
    console.log(`seed ${seed}: ${message.slice(0, 500)}`);
    if (!values.all) return 1;
  }
  const seconds = (process.cpuUsage().user - started) / 1e6;
  console.log(`${done} worlds, ${steps} steps, ${seconds.toFixed(1)} s of CPU, ${Math.round((done / seconds) * 60)} worlds a minute`);
  for (const [rule, count] of broken) console.log(`${rule}: ${count}`);
  if (values.digest) console.log(`digest of all traces: ${digest.digest('hex')}`);
  return broken.size > 0 ? 1 : 0;
}
