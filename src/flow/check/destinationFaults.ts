import { nearestName } from '../../contract/index.ts';
import { destinationOf, type StageTarget } from '../definition/destinationOf.ts';
import { type FlowDefinition, outputsIn } from '../definition/flowFormat.ts';
import type { FlowFault } from './CheckFlowOptions.ts';

/** The destinations that come with trawler. */
const builtIn = ['postgres'];

/** The faults of the destinations that stages name. `more`: those that the program brings. */
export function destinationFaults(flow: FlowDefinition, more: readonly string[] = []): readonly FlowFault[] {
  const known = [...builtIn, ...more];
  const taken = new Map<string, { readonly stage: string; readonly to: string }>();
  return Object.entries(flow.stages).flatMap(([stage, { to, mode }]) => {
    const targets = outputsIn(to).flatMap(({ file, at, options }) => {
      const target = destinationOf(file);
      return target === undefined ? [] : [{ target, at: ['stages', stage, 'to', ...at], options: Object.keys(options) }];
    });
    const faults = targets.flatMap(({ target, at, options }): FlowFault[] => {
      const [option] = options;
      if (option !== undefined) return [{ at: [...at, option], message: `'${option}' is about a file, and '${target.to}' isn't one` }];
      const other = taken.get(placeOf(target));
      taken.set(placeOf(target), { stage, to: target.to });
      const shared = other === undefined ? undefined : sharedFault(target.to, stage, other);
      const message = faultOf(target, known) ?? shared;
      return message === undefined ? [] : [{ at, message }];
    });
    if (mode !== undefined && targets.length === 0)
      faults.push({
        at: ['stages', stage, 'mode'],
        message: "'mode' is about a destination such as postgres:reviews, and 'to' names none",
      });
    return faults;
  });
}

/** What is one table at most. A name without a schema is usually one in `public`. */
function placeOf({ to, scheme, name }: StageTarget): string {
  return scheme === 'postgres' && !name.includes('.') ? `postgres:public.${name}` : to;
}

function sharedFault(to: string, stage: string, other: { readonly stage: string; readonly to: string }): string {
  const how = other.stage === stage ? 'named twice' : `written by stage ${other.stage} already`;
  return other.to === to ? `'${to}' is ${how}` : `'${to}' is ${how}, as '${other.to}'. If they are two tables, write the schema of both`;
}

function faultOf({ to, scheme, name }: StageTarget, known: readonly string[]): string | undefined {
  if (!known.includes(scheme)) {
    const nearest = nearestName(scheme, known);
    return `'${to}' names no destination: there is ${known.join(', ')}${nearest === undefined ? '' : `; did you mean '${nearest}:${name}'?`}`;
  }
  if (scheme === 'postgres' && !/^[^.\0]+(\.[^.\0]+)?$/.test(name))
    return `'${to}' isn't a table: write postgres:table or postgres:schema.table`;
  return undefined;
}
