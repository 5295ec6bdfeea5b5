import type { FanOutSpec, Operation, Service } from '../../contract/index.ts';
import { searchService } from '../../search/index.ts';
import type { FlowDefinition, StageDefinition } from './flowFormat.ts';

/** The service of a flow: the one it holds, else the one that is given, else the one that trawler comes with. */
export function serviceOf(flow: Pick<FlowDefinition, 'service'>, given?: Service): Service {
  const own = typeof flow.service === 'object' ? flow.service : undefined;
  return own ?? given ?? searchService;
}

/** The operation that a stage's `call` names, by itself or by a ready fan-out. */
export function operationOf({ operations, fanOuts }: Service, call: string): Operation | undefined {
  const name = Object.hasOwn(fanOuts, call) ? fanOuts[call]!.call : call;
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** The ready fan-out that a stage calls, without the parameters that the stage gives itself. */
export function fanOutOf({ fanOuts }: Service, { call, with: given = {} }: StageDefinition): FanOutSpec | undefined {
  const spec = Object.hasOwn(fanOuts, call) ? fanOuts[call]! : undefined;
  if (spec === undefined) return undefined;
  return { ...spec, with: Object.fromEntries(Object.entries(spec.with).filter(([param]) => !Object.hasOwn(given, param))) };
}
