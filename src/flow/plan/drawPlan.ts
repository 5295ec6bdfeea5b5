import { drawFlow } from '../report/drawFlow.ts';
import { type FlowPlan, shownRange } from './FlowPlan.ts';

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

export function mermaid(plan: FlowPlan): string {
  const ids = new Map(plan.stages.map(({ name }, index) => [name, `stage${index}`]));
  const lines = ['flowchart LR'];
  for (const stage of plan.stages) {
    const id = ids.get(stage.name)!;
    const text = [stage.name, stage.call, `requests: ${shownRange(stage.requests)}`, `rows: ${shownRange(stage.rows)}`];
    lines.push(`  ${id}["${text.map(quoted).join('<br>')}"]`);
    stage.each.forEach((source, index) => {
      const parent = ids.get(source);
      if (parent === undefined) lines.push(`  ${id}seeds${index}[("${quoted(source === '-' ? 'standard input' : source)}")]`);
      lines.push(`  ${parent ?? `${id}seeds${index}`} --> ${id}`);
    });
    stage.to.forEach((file, index) => {
      lines.push(`  ${id}file${index}[/"${quoted(file)}"/]`, `  ${id} --> ${id}file${index}`);
    });
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replace(/[&"<>#]/g, (char) => `#${char.charCodeAt(0)};`);
}
