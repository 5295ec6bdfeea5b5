import type { FlowDefinition } from './FlowDefinition.ts';

export function defineFlow(flow: FlowDefinition): FlowDefinition {
  return flow;
}
