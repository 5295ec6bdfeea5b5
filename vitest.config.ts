import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import SlowFirst from './scripts/SlowFirst.mjs';
import { slowTests } from './scripts/slowTests.mjs';
import { importsCompiled } from './test/testedPackage.ts';

/** Another version of RxJS for the tests and what they test: npm run rxjs. */
const rxjs = process.env['TRAWLER_RXJS'];
const isMeasured = process.argv.some((arg) => arg.startsWith('--coverage'));
/** The sources themselves are imported where coverage is measured, files are watched, or they get another RxJS. */
const isCompiled = process.argv.includes('run') && !isMeasured && rxjs === undefined;
/** Many tests wait, for a socket, a disk or a child process. */
const maxWorkers = availableParallelism() + 2;
/**
 * Tests make many objects that don't live long: collecting them took 6 % of the suite's CPU. Optimising code that doesn't run for long takes
 * as much: the V8 of Node 20 may be told to wait longer before it does.
 */
const execArgv = ['--max-semi-space-size=64', ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [])];

const tests = ['test/**/*.test.ts'];
const project = (name: string, files: { include: string[]; exclude?: string[]; env?: object }) => ({
  ...(rxjs === undefined ? {} : { resolve: { alias: { rxjs } } }),
  ...(isCompiled ? { plugins: [importsCompiled] } : {}),
  test: {
    name,
    ...files,
    // TypeScript's compiler, which some tests start, is written in Go: collecting garbage takes a third of its CPU.
    env: { GOGC: 'off', ...files.env },
    // A process for each file would import everything anew. A file leaves its process as it found it.
    isolate: false,
    server: { deps: { external: [/\/\.tested\//] } },
    execArgv,
    maxWorkers,
    // Guards against what never ends: no test waits for them, however busy the machine.
    testTimeout: process.env['TRAWLER_LONG'] === '1' ? 3_000_000 : 300_000,
    hookTimeout: 300_000,
    // A look at a page in the browser takes some milliseconds of CPU, in two processes and here.
    expect: { poll: { timeout: 60_000, interval: 200 } },
  },
});

export default defineConfig({
  test: {
    reporters: ['default', './scripts/SlowestFiles.mjs'],
    globalSetup: ['test/globalSetup.ts'],
    sequence: { sequencer: SlowFirst },
    teardownTimeout: 300_000, // as those above
    maxWorkers,
    // Each project has processes of its own, which import everything anew.
    projects: isMeasured
      ? [
          project('slow', { include: slowTests, env: { TRAWLER_UNMEASURED: '1' } }),
          project('quick', { include: tests, exclude: slowTests }),
        ]
      : [project('all', { include: tests })],
    coverage: {
      provider: 'custom',
      customProviderModule: 'scripts/coverage.mjs',
      include: ['src/**/*.ts', 'operators/**/*.ts'],
      exclude: ['src/show/page/**'], // it runs in the browser
      reporter: ['text-summary'],
      thresholds: { lines: 90, functions: 90, branches: 80, statements: 90 },
    },
  },
});
