import { getOrInsert } from '../../operators/kit/once.ts';
import type { FlowPlan, PlanStage, Range } from '../flow/index.ts';
import { describeFirst, formatCount, formatSum } from '../flow/report/index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { renderTable } from './text/renderTable.ts';
import { wrapText } from './text/textWidth.ts';

/** Deeper stages aren't indented further, because a long chain would be mostly blanks. */
const maxDepth = 30;

/** A plan as a tree of stages with their requests, and why. Sums of money have `priceDigits` digits after the point. */
export function renderPlan(plan: FlowPlan, priceDigits = 2): string {
  const money = (range: Range): string => moneyOf(range, priceDigits);
  const order = treeOrder(plan.stages);
  const rows = order.map(({ stage, depth }) => [
    `${'  '.repeat(Math.min(depth, maxDepth))}${stage.name}`,
    stage.call,
    range(stage.queries),
    range(stage.requests),
    range(stage.rows),
    ...(stage.price === undefined ? [] : [money(stage.price)]),
  ]);
  const priced = plan.price !== undefined;
  const total = ['total', '', '', range(plan.requests), '', ...(plan.price === undefined ? [] : [money(plan.price)])];
  const why = order.flatMap(({ stage }) =>
    stage.why.map((reason) => `  ${wrapText(escapeForTerminal(`${stage.name}: ${reason}`), 76, '    ')}`),
  );
  return [
    escapeForTerminal(plan.name),
    '',
    renderTable([['STAGE', 'OPERATION', 'QUERIES', 'REQUESTS', 'ROWS', ...(priced ? ['PRICE'] : [])], ...rows, total]),
    '',
    ...(why.length === 0 ? [] : ['Why', ...why, '']),
    ...(plan.services ?? []).map(({ name, requests, price }) => {
      const cost = price.atMost === 0 ? '' : `, which cost ${moneyOf(price, 0)} by its prices`;
      return escapeForTerminal(`${name}: ${range(requests)} requests${cost}`);
    }),
    'No request was sent to make this plan.',
    ...(plan.first === undefined ? [] : [`${describeFirst(plan.first)}.`]),
    '',
  ].join('\n');
}

/** Each stage below its first parent. */
function treeOrder(stages: readonly PlanStage[]): readonly { readonly stage: PlanStage; readonly depth: number }[] {
  const names = new Set(stages.map((stage) => stage.name));
  const below = new Map<string | undefined, PlanStage[]>();
  for (const stage of stages) {
    const parent = stage.each.find((name) => names.has(name));
    getOrInsert(below, parent, () => []).push(stage);
  }
  const order: { readonly stage: PlanStage; readonly depth: number }[] = [];
  const waiting = (below.get(undefined) ?? []).toReversed().map((stage) => ({ stage, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { stage, depth } = next;
    order.push(next);
    for (const child of (below.get(stage.name) ?? []).toReversed()) waiting.push({ stage: child, depth: depth + 1 });
  }
  return order;
}

function range({ atLeast, atMost }: Range): string {
  if (atLeast === atMost) return formatCount(atLeast);
  if (atMost === Infinity) return atLeast === 0 ? 'unknown' : `${formatCount(atLeast)} or more`;
  return `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}

function moneyOf({ atLeast, atMost }: Range, digits: number): string {
  const sum = (value: number): string => formatSum(value, digits, digits);
  return atLeast === atMost ? sum(atLeast) : atMost === Infinity ? `${sum(atLeast)} or more` : `${sum(atLeast)} to ${sum(atMost)}`;
}
