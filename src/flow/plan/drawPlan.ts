import { drawFlow } from '../report/drawFlow.ts';
import type { FlowPlan } from './FlowPlan.ts';
import { shownRange } from './count.ts';

/** The plan as an SVG drawing: stages from left to right, with their figures. */
export function drawPlan(plan: FlowPlan): string {
  const boxes = plan.stages.map((stage) => ({
    name: stage.name,
    call: stage.call,
    each: stage.each.map((source) => (source === '-' ? 'standard input' : source)),
    lines: [`requests ${shownRange(stage.requests)}`, `rows ${shownRange(stage.rows)}`, ...stage.to],
  }));
  return drawFlow(boxes, { standalone: true });
}
