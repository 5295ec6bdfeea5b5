/**
 * Test files that take more than about four seconds, the slowest first: `npm test` begins with them, so that no core is idle at its
 * end, and doesn't measure what they cover. `npm run test:quick` leaves them out. A run of all tests names its slowest files.
 */
export const slowTests = [
  'test/show/page.test.ts',
  'test/deploy/compose.test.ts',
  'test/bullmq/leadFlow.test.ts',
  'test/publish/s3.test.ts',
  'test/examples.test.ts',
  'test/vendors/failOver.test.ts',
  'test/vendors/keys.test.ts',
  'test/flow/update.test.ts',
  'test/simulation/simulate.test.ts',
  'test/bullmq/moves.test.ts',
  'test/serviceLimits.test.ts',
  'test/cli/mcp/spending.test.ts',
  'test/flow/split.test.ts',
  'test/services/heldOut.test.ts',
  'test/publish/kill.test.ts',
  'test/bullmq/kill.test.ts',
  'test/flow/load/postgres.test.ts',
  'test/cli/process.test.ts',
  'test/operators/stalls.test.ts',
  'test/flow/kill.test.ts',
  'test/show/startShow.test.ts',
  'test/proxy/process.test.ts',
  'test/cli/commands/run.test.ts',
  'test/flow/load/update.test.ts',
  'test/docs.test.ts',
  'test/keyForms.test.ts',
  'test/sinks/postgres/postgresDestination.test.ts',
  'test/operators/randomPipes.test.ts', // a pipe that waits for itself may wait for two minutes
];
