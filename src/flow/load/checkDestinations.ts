import type { Flow } from '../definition/Flow.ts';
import { destinationTable } from './destinationTable.ts';
import { destinationNamed, type Destinations } from './RunLoads.ts';

/** Throws if a table can't take the rows of its stage. Changes nothing. */
export async function checkDestinations(flow: Flow, destinations: Destinations): Promise<void> {
  for (const stage of flow.stages)
    for (const target of stage.targets)
      await destinationNamed(destinations, target.scheme).check?.(destinationTable(flow, stage, target, 'a plan'));
}
