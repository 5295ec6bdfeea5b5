import { checkOptions } from '../../../operators/check/checkOptions.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { FlowClient } from '../run/FlowClient.ts';
import { boundStages } from './boundStages.ts';
import { countRoots } from './countRoots.ts';
import { extrapolate } from './extrapolate.ts';
import type { FlowPlan, PlanStage, Range } from './FlowPlan.ts';
import { countStored } from './countStored.ts';
import { sampleRoots } from './sampleRoots.ts';

export interface PlanFlowOptions {
  /** The price of one request, in any currency. @default none */
  readonly price?: number | undefined;
  /** Runs this many roots and everything below them through `client`, and extrapolates. @default 0: no requests */
  readonly sample?: number | undefined;
  /** The store in which to count what is already paid for, written as in a flow. @default the flow's own */
  readonly store?: FlowDefinition['store'];
  /** Needed for a sample only. */
  readonly client?: FlowClient | undefined;
}

/**
 * Bounds for the requests of a flow, without retries. It reads seed files once, to count them. It sends no
 * request unless you ask for a sample.
 */
export async function planFlow(flow: Flow | FlowDefinition, options: PlanFlowOptions = {}): Promise<FlowPlan> {
  checkOptions('planFlow', options, ['price', 'sample', 'client', 'store']);
  const { price, sample = 0, client } = options;
  if (price !== undefined && !(Number.isFinite(price) && price >= 0))
    throw new RangeError(`planFlow: price must be a number from 0 on, not ${price}`);
  if (!(Number.isSafeInteger(sample) && sample >= 0))
    throw new RangeError(`planFlow: sample must be a whole number from 0 on, not ${sample}`);
  if (sample > 0 && client === undefined) throw new RangeError('planFlow: sample needs a client to send it through');
  const compiled = 'digest' in flow ? flow : compileFlow(flow);

  const roots = await countRoots(compiled);
  const bounds = boundStages(compiled, roots);
  const sampled = sample === 0 || client === undefined ? undefined : await sampleRoots(compiled, client, roots, sample);
  const stages = sampled === undefined ? bounds : extrapolate(bounds, sampled);
  const { store = compiled.definition.store } = options;
  const found = store === undefined ? undefined : await countStored(compiled, store, roots);
  const sum = (key: 'atLeast' | 'atMost'): number => stages.reduce((total, stage) => total + stage.requests[key], 0);
  const budget = compiled.maxRequests;
  const requests: Range = {
    atLeast: Math.min(sum('atLeast'), budget),
    atMost: Math.min(sum('atMost'), budget),
    ...(sampled === undefined ? {} : { expected: sampled.total(sum('atLeast'), Math.min(sum('atMost'), budget)) }),
  };
  const none = { paid: 0, missing: requests.atLeast };
  return {
    name: compiled.name,
    stages: price === undefined ? stages : stages.map((stage): PlanStage => ({ ...stage, price: times(stage.requests, price) })),
    requests,
    ...(store === undefined ? {} : { stored: found ?? none }),
    ...(price === undefined ? {} : { price: times(requests, price) }),
    ...(sampled === undefined ? {} : { sampled: { roots: sampled.roots.length, of: sampled.of, requests: sampled.requests } }),
  };
}

function times({ atLeast, atMost, expected }: Range, price: number): Range {
  const product = (count: number): number => (price === 0 ? 0 : count * price);
  return {
    atLeast: product(atLeast),
    atMost: product(atMost),
    ...(expected === undefined
      ? {}
      : { expected: { mean: product(expected.mean), low: product(expected.low), high: product(expected.high) } }),
  };
}
