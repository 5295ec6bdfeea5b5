import type { FlowPlan } from './FlowPlan.ts';

/** The plan as an SVG drawing: stages from left to right, with their figures. */
export function drawPlan(plan: FlowPlan): string {
  return plan.name;
}
