import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/FlowDefinition.ts';
import type { FlowClient } from '../run/FlowClient.ts';
import type { FlowPlan } from './FlowPlan.ts';

export interface PlanFlowOptions {
  /** Of one request, in any currency. @default none */
  readonly price?: number | undefined;
  /** Runs so many roots through `client`, and extrapolates from them. @default 0: nothing is asked for */
  readonly sample?: number | undefined;
  /** Needed for a sample only. */
  readonly client?: FlowClient | undefined;
}

/** What a flow would ask for, at least and at most. Reads seed files to count them; asks the service for nothing. */
export function planFlow(flow: Flow | FlowDefinition, options: PlanFlowOptions = {}): Promise<FlowPlan> {
  return Promise.reject(new Error(`not yet ${flow.name} ${options.price}`));
}
