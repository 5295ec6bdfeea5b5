import { drawFlow } from '../report/drawFlow.ts';
import { formatSum } from '../report/format.ts';
import { type FlowPlan, type Range, shownRange } from './FlowPlan.ts';

/** The plan as an SVG drawing: the flow's name, its requests and price, and stages from left to right, with their figures. */
export function drawPlan(plan: FlowPlan): string {
  const boxes = plan.stages.map((stage) => ({
    name: stage.name,
    call: stage.call,
    each: stage.each.map((source) => (source === '-' ? 'standard input' : source)),
    lines: [`requests ${shownRange(stage.requests)}`, `rows ${shownRange(stage.rows)}`, ...stage.to],
  }));
  const price = plan.price === undefined ? '' : `; price ${shownPrice(plan.price)}`;
  return drawFlow(boxes, { standalone: true, heading: [plan.name, `requests ${shownRange(plan.requests)}${price}`] });
}

/** Rounded to four digits: a plan is never nearer. */
function shownPrice({ atLeast, atMost }: Range): string {
  const sum = (value: number): string => formatSum(Number(value.toPrecision(4)), 0);
  if (atLeast === atMost) return sum(atLeast);
  return atMost === Infinity ? `at least ${sum(atLeast)}` : `${sum(atLeast)} to ${sum(atMost)}`;
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
