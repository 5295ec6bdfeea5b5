// What starting costs: importing each door beside importing the packages that it needs, and `trawler --help` beside an empty script.
// CPU until 50 ms after: an import leaves rubbish, and whose import is the last to need memory doesn't decide who pays for collecting it.
// `node start/bench.mjs [--rounds 15] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { packagesOf } from './packagesOf.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' }, write: { type: 'boolean', default: false } } });
const timed = (imports) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `const before = process.cpuUsage(), start = performance.now(); ${imports.map((name) => `await import(${JSON.stringify(name)});`).join(' ')} const wallMs = performance.now() - start; await new Promise((done) => setTimeout(done, 50)); const { user, system } = process.cpuUsage(before); console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }))`,
];
const cli = fileURLToPath(new URL('../../dist/bundle/cli.js', import.meta.url));
const spawned = (args) => [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { spawnSync } from 'node:child_process'; const start = performance.now(); const { status } = spawnSync(process.execPath, ${JSON.stringify(args)}); const wallMs = performance.now() - start; console.log(JSON.stringify({ status, wallMs, cpuMs: wallMs }))`,
];

const nameOf = (packages) => `only ${[...new Set(packages.map((name) => name.replace(/^@(turf)\/.*/, '$1')))].join(', ')}`;
const packageSets = Object.values(packagesOf).filter((packages) => packages.length > 0);
const contenders = [
  ...new Map(packageSets.map((packages) => [nameOf(packages), { name: nameOf(packages), command: timed(packages) }])).values(),
  ...Object.entries(packagesOf).map(([door, packages]) => ({
    name: `import '${door}'`,
    command: timed([door]),
    ours: true,
    base: packages.length === 0 ? undefined : nameOf(packages),
  })),
  { name: 'node, an empty script (wall)', command: spawned(['-e', '']) },
  { name: 'trawler --help (wall)', command: spawned([cli, '--help']), ours: true, base: 'node, an empty script (wall)' },
];
const results = await rounds(contenders, { count: Number(values.rounds), warmup: 2 });
const rows = contenders.map(({ name, base }) => {
  const own = results.get(name);
  return [
    name,
    base === undefined ? '' : times(ratio(own, results.get(base), ({ cpuMs }) => cpuMs)),
    median(own.map(({ cpuMs }) => cpuMs)).toFixed(0),
    median(own.map(({ wallMs }) => wallMs)).toFixed(0),
  ];
});
const text = table(['what', '× its packages', 'CPU ms', 'wall ms'], rows);
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
