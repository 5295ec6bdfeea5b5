import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs every contender once per round, each in a process of its own, and gives each one's results in the order of rounds.
 * The order within a round turns, so that no contender always runs first.
 */
export async function rounds(contenders, { count, warmup = 1, show = true }) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -warmup; round < count; round += 1) {
    const shift = (((round + warmup) % contenders.length) + contenders.length) % contenders.length;
    for (const { name, command } of [...contenders.slice(shift), ...contenders.slice(0, shift)]) {
      const [file, ...args] = command;
      const { stdout } = await run(file, args, { maxBuffer: 64 * 1024 * 1024 });
      const result = JSON.parse(stdout.trim().split('\n').at(-1));
      if (round >= 0) results.get(name).push(result);
      if (show) process.stderr.write(`\r\x1b[K${round < 0 ? 'warm-up' : `round ${round + 1}/${count}`}: ${name}`);
    }
  }
  if (show) process.stderr.write('\r\x1b[K');
  return results;
}

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Median and range of `pick` over a contender's rounds, as a multiple of the base's figure in the same round. */
export function ratio(results, base, pick) {
  const values = results.map((result, round) => pick(result) / pick(base[round]));
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export const times = ({ median: middle, min, max }) =>
  min === max ? middle.toFixed(2) : `${middle.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
