import { coreOf } from '../../src/client/coreOf.ts';

/**
 * Lets go of a client whose world is over. The library lists calls that aren't over, to tell of them when the process ends, and those
 * of a simulated process that was killed stay in that list. And V8 keeps what an old WeakMap refers to alive until it collects the whole
 * heap. Through either the whole world stayed in memory.
 */
export function forgetClient(client: object): void {
  const { calls } = coreOf.get(client)!;
  for (const call of calls) calls.delete(call);
  coreOf.delete(client);
}
