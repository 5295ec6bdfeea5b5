// What starting costs: importing trawler beside importing its dependencies alone, and `trawler --help` beside an empty script.
// `node start/bench.mjs [--rounds 15] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' }, write: { type: 'boolean', default: false } } });
const timed = (imports) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `const before = process.cpuUsage(), start = performance.now(); ${imports.map((name) => `await import(${JSON.stringify(name)});`).join(' ')} const { user, system } = process.cpuUsage(before); console.log(JSON.stringify({ wallMs: performance.now() - start, cpuMs: (user + system) / 1000 }))`,
];
const cli = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const spawned = (args) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { spawnSync } from 'node:child_process'; const before = process.resourceUsage(); const start = performance.now(); const { status } = spawnSync(process.execPath, ${JSON.stringify(args)}); console.log(JSON.stringify({ status, wallMs: performance.now() - start, cpuMs: performance.now() - start }))`,
];

const contenders = [
  { name: 'its dependencies alone: rxjs, undici', command: timed(['rxjs', 'undici']) },
  { name: "import 'trawler'", command: timed(['trawler']), ours: true },
  { name: "import 'trawler/operators'", command: timed(['trawler/operators']), ours: true },
  { name: "import 'trawler/sinks'", command: timed(['trawler/sinks']), ours: true },
  { name: "import 'trawler/flow'", command: timed(['trawler/flow']), ours: true },
  { name: 'node, an empty script (wall)', command: spawned(['-e', '']) },
  { name: 'trawler --help (wall)', command: spawned([cli, '--help']), ours: true },
];
const results = await rounds(contenders, { count: Number(values.rounds), warmup: 2 });
const base = results.get(contenders[0].name);
const rows = contenders.map(({ name }) => {
  const own = results.get(name);
  return [
    name,
    times(ratio(own, base, ({ cpuMs }) => cpuMs)),
    median(own.map(({ cpuMs }) => cpuMs)).toFixed(0),
    median(own.map(({ wallMs }) => wallMs)).toFixed(0),
  ];
});
const text = table(['what', '× dependencies', 'CPU ms', 'wall ms'], rows);
console.log(text);
if (values.write) {
  writePlot(
    'start',
    'Starting: milliseconds',
    contenders.map(({ name, ours }) => ({
      label: name,
      ours,
      value: median(results.get(name).map(({ wallMs }) => wallMs)),
      note: `${median(results.get(name).map(({ wallMs }) => wallMs)).toFixed(0)} ms`,
    })),
  );
  writeSection('start', `${setting('npm run bench:start')} ${values.rounds} rounds.\n\n${text}\n\n![Starting](plots/start.svg)`);
}
