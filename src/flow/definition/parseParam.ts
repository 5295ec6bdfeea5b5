import type { ParamSpec } from '../../contract/index.ts';
import type { ParamInput } from './flowFormat.ts';
import { parseBinding, type Binding, type BindingFault, type FlowEnv } from './parseBinding.ts';

/** A value of a parameter, compiled: one of a kept column, or a list or an object that is made of such values. */
export type ParamBinding = Binding | MadeBinding;

export interface MadeBinding {
  readonly kind: 'made';
  readonly isList: boolean;
  readonly entries: readonly (readonly [key: string, value: ParamBinding])[];
}

/** The values that a stage gives a parameter. A list is the one value of a parameter that takes a list; lists of lists are several. */
export function paramInputs(param: ParamSpec | undefined, given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) return [given];
  const takesList = param?.type === 'strings' || param?.type === 'array';
  return !takesList || given.every(Array.isArray) ? given : [given];
}

/** Reads one value of a parameter. Texts inside lists and objects may hold fields, too. */
export function parseParam(input: unknown, env: FlowEnv): ParamBinding | BindingFault {
  if (typeof input !== 'object' || input === null) return parseBinding(input as ParamInput, env);
  const entries: (readonly [string, ParamBinding])[] = [];
  for (const [key, value] of Object.entries(input)) {
    const binding = parseParam(value, env);
    if (binding.kind === 'fault') return binding;
    entries.push([key, binding]);
  }
  return { kind: 'made', isList: Array.isArray(input), entries };
}

/** The single values that a value is made of. */
export function leavesOf(binding: ParamBinding): readonly Binding[] {
  return binding.kind === 'made' ? binding.entries.flatMap(([, value]) => leavesOf(value)) : [binding];
}
