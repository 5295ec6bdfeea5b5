import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import SlowFirst from './scripts/SlowFirst.mjs';

/** Another version of RxJS for the tests and what they test: npm run rxjs. */
const rxjs = process.env['TRAWLER_RXJS'];

export default defineConfig({
  ...(rxjs === undefined ? {} : { resolve: { alias: { rxjs } } }),
  test: {
    reporters: ['default', './scripts/SlowestFiles.mjs'],
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/globalSetup.ts'],
    // A process for each file would import everything anew. A file leaves its process as it found it.
    isolate: false,
    // Tests make many objects that don't live long: collecting them took 6 % of the suite's CPU.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SlowFirst },
    // Many tests wait, for a socket, a disk or a child process.
    maxWorkers: availableParallelism() + 1,
    // Guards against what never ends: no test waits for them, however busy the machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts', 'operators/**/*.ts'],
      exclude: ['src/show/page/**'], // it runs in the browser
      reporter: ['text-summary'],
      thresholds: { lines: 90, functions: 90, branches: 80, statements: 90 },
    },
  },
});
