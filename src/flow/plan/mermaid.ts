import type { FlowPlan } from './FlowPlan.ts';

/** The plan as a Mermaid flowchart. */
export function mermaid(plan: FlowPlan): string {
  return plan.name;
}
