import { serviceOfClient } from '../../client/attachStore.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { FlowPlan } from './FlowPlan.ts';
import { planFlowOptions, type PlanFlowOptions } from './PlanFlowOptions.ts';

/** Bounds for the requests of a flow, without retries. It reads seed files once, to count them. It sends no request. */
export async function planFlow(flow: Flow | FlowDefinition, options: PlanFlowOptions = {}): Promise<FlowPlan> {
  const given = planFlowOptions.read('planFlow', options);
  const { client, destinations } = given;
  const compiled =
    'digest' in flow
      ? flow
      : compileFlow(flow, {
          service: client === undefined ? undefined : serviceOfClient(client),
          destinations: Object.keys(destinations ?? {}),
        });
  const { makePlan } = await import('./makePlan.ts');
  return makePlan(compiled, given);
}
