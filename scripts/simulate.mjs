// Bundles the simulation and runs it: npm run simulate -- --seed 42 --worlds 1000. CONTRIBUTING says how to use it. With
// `--plant NAME` the code has a fault of scripts/plants.mjs. With `--plants` each of them is planted, and looked for. With
// `--nodes 20,22,24` each of these runs the worlds, and their stories are compared. `--bundle FOLDER` only bundles it, for tests.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { rolldown } from 'rolldown';
import { nodeOf } from './nodeOf.mjs';
import { plants } from './plants.mjs';
import { withoutSpreads } from './withoutSpreads.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);

// The flags of the script in package.json are for one core: a helper thread that collects garbage takes the same core, what a world
// leaves is collected rarely and at once, and a function is compiled for the processor when it is first called.
// Node 20 has no compiler between the one for that and the one that optimizes. Optimizing sooner, with less inlined, which takes less of
// it, saves a twentieth over a thousand worlds.
if (process.versions.node.startsWith('20.'))
  for (const flag of ['--interrupt-budget=100000', '--max-inlined-bytecode-size-cumulative=300']) setFlagsFromString(flag);

/** Replaces a piece of the code, which must be there once. */
function planted({ name, file, from, to }) {
  return {
    name: 'plant',
    transform(code, id) {
      if (id !== `${root}${file}`) return null;
      if (code.split(from).length !== 2) throw new Error(`${name}: ${file} doesn't have this once: ${from}`);
      return code.replace(from, () => to);
    },
  };
}

/** Bundles the simulation into a folder. */
async function bundle(dir, plugins) {
  const made = await rolldown({
    input: `${root}test/simulation/simulate.ts`,
    // Takes the place of BullMQ, and keeps its queues in memory.
    resolve: { alias: { bullmq: `${root}test/simulation/queue/memoryBullmq.ts` } },
    external: (id) => !/^[./\0]|^@oxc-project|^bullmq$/.test(id),
    platform: 'node',
    transform: { target: 'node20' },
    plugins,
  });
  mkdirSync(dir, { recursive: true });
  await made.write({ dir, codeSplitting: false }); // what loads later takes no time, and nothing comes before the simulated globals
  await made.close();
}

async function run(plant) {
  const dir = `${root}node_modules/.simulation-${process.pid}`; // its packages resolve from there
  try {
    await bundle(dir, [withoutSpreads, ...(plant === undefined ? [] : [planted(plant)])]);
    await import(`${dir}/simulate.js`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** How many worlds it takes to find each plant, as a table. */
function search(worlds) {
  console.log('| planted fault | found by | in worlds |\n|---|---|---|');
  let found = 0;
  for (const { name, of = 'flows' } of plants) {
    const options = ['--plant', name, '--of', of, '--seed', '1', '--worlds', worlds, '--brief'];
    const { stdout } = spawnSync(process.execPath, [...process.execArgv, process.argv[1], ...options], { encoding: 'utf8' });
    const rule = /breaks a rule: ([^:]*):/.exec(stdout)?.[1];
    const tried = /^(\d+) worlds/m.exec(stdout)?.[1];
    if (rule !== undefined) found += 1;
    console.log(`| ${name} | ${rule ?? 'nothing'} | ${rule === undefined ? `not in ${tried ?? worlds}` : tried} |`);
  }
  console.log(`\n${found} of ${plants.length}`);
}

/** Runs the same worlds on several Nodes. Their stories must be the same to the byte. */
function compare(versions, rest) {
  const digests = versions.map((version) => {
    const node = nodeOf(version, root);
    const { stdout, status } = spawnSync(node, [...process.execArgv, process.argv[1], ...rest, '--digest'], { encoding: 'utf8' });
    const digest = /^digest: (.*)$/m.exec(stdout)?.[1];
    console.log(`Node ${version}: ${digest ?? `failed with ${status}\n${stdout}`}`);
    return digest;
  });
  if (new Set(digests).size > 1 || digests[0] === undefined) process.exitCode = 1;
  console.log(process.exitCode === 1 ? 'They differ.' : 'They are the same.');
}

const at = args.indexOf('--plant');
const nodes = args.indexOf('--nodes');
if (args[0] === '--bundle') await bundle(args[1], []); // in as few worlds as tests play, taking spreads out costs more than it gives
else if (args.includes('--plants')) search(args[args.indexOf('--plants') + 1] ?? '10000');
else if (nodes >= 0) compare(args[nodes + 1].split(','), args.toSpliced(nodes, 2));
else if (at < 0) await run();
else {
  const [, name] = process.argv.splice(at + 2, 2);
  const plant = plants.find((one) => one.name === name);
  if (plant === undefined) throw new Error(`there is no plant '${name}'; there are: ${plants.map((one) => one.name).join('; ')}`);
  await run(plant);
}
