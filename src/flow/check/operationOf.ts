import { operations, type AnyOperation } from '../../search/index.ts';
import { fanOuts } from '../definition/fanOuts.ts';

/** The operation that a stage's `call` names, by itself or by a ready fan-out. */
export function operationOf(call: string): AnyOperation | undefined {
  const name = Object.hasOwn(fanOuts, call) ? fanOuts[call]!.call : call;
  return Object.hasOwn(operations, name) ? operations[name as keyof typeof operations] : undefined;
}
