import { coreOf } from '../../src/client/coreOf.ts';

/**
 * Lets go of the calls of a client whose world is over. The library lists calls that aren't over, to tell of them when the process ends.
 * Those of a simulated process that was killed stay in that list, and kept their world in memory.
 */
export function forgetClient(client: object): void {
  const { calls } = coreOf.get(client)!;
  for (const call of calls) calls.delete(call);
}
