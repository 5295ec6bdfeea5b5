import v8 from '@vitest/coverage-v8';

// V8 counts every branch that is taken, which takes a third of a slow test's time. The quick tests cover the same code.
const isMeasured = process.env.TRAWLER_UNMEASURED === undefined;

/** Vitest's coverage by V8, of the tests that aren't slow. */
export default {
  ...v8,
  startCoverage: (options) => (isMeasured ? v8.startCoverage(options) : undefined),
  takeCoverage: (options) => (isMeasured ? v8.takeCoverage(options) : undefined),
  stopCoverage: (options) => (isMeasured ? v8.stopCoverage(options) : undefined),
};
