import type { FanOutSpec, Operation, Service } from '../../contract/index.ts';
import { defaultService } from '../../defaultService.ts';
import type { FlowDefinition, StageDefinition } from './flowFormat.ts';

/** The service of a flow: its own, else the given one, else trawler's built-in one. */
export function serviceOf(flow: Pick<FlowDefinition, 'service'>, given?: Service): Service {
  const own = typeof flow.service === 'object' ? flow.service : undefined;
  return own ?? given ?? defaultService;
}

/** The operation that a stage's `call` names, directly or through a ready-made fan-out. */
export function operationOf({ operations, fanOuts }: Service, call: string): Operation | undefined {
  const name = Object.hasOwn(fanOuts, call) ? fanOuts[call]!.call : call;
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}

/** The ready-made fan-out that a stage calls, without the parameters that the stage sets itself. */
export function fanOutOf({ fanOuts }: Service, { call, with: given = {} }: StageDefinition): FanOutSpec | undefined {
  const spec = Object.hasOwn(fanOuts, call) ? fanOuts[call]! : undefined;
  if (spec === undefined) return undefined;
  return { ...spec, with: Object.fromEntries(Object.entries(spec.with).filter(([param]) => !Object.hasOwn(given, param))) };
}
