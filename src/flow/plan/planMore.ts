import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { StageMore } from '../run/moreOf.ts';

/**
 * What the next requests of each stage would bring, from what a run in this folder found. Each stage of the flow is named, with
 * the reason where nothing can be said. It reads the run's journal only: it sends no request, takes no lock and writes nothing.
 */
export async function planMore(given: Flow | FlowDefinition, outDir: string): Promise<readonly StageMore[]> {
  const flow = 'digest' in given ? given : compileFlow(given);
  const { moreFound } = await import('./moreFound.ts');
  return moreFound(flow, outDir);
}
