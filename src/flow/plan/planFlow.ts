import { serviceOfClient } from '../../client/flowAccess.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { FlowPlan } from './FlowPlan.ts';
import type { Destinations } from '../load/RunLoads.ts';
import type { FlowClient } from '../run/FlowClient.ts';
import { anything, like, declareOptions } from '../../../operators/options/index.ts';

export interface PlanFlowOptions {
  /** The price of one request, in any currency. @default the service's prices */
  readonly price?: number | undefined;
  /** The folder of the flow's runs. What a run with `first` has taken there says what all will take. @default none */
  readonly outDir?: string | undefined;
  /** Checks that the tables there take the rows. @default not checked */
  readonly destinations?: Destinations | undefined;
  /** Its service is used if the flow names none. @default none */
  readonly client?: FlowClient | undefined;
}

const planFlowOptions = declareOptions<PlanFlowOptions>()({
  price: like('a number from 0 on', (value) => Number.isFinite(value) && (value as number) >= 0),
  outDir: anything<string>(),
  destinations: anything<Destinations>(),
  client: anything(),
});

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
