import type { FlowDefinition } from '../definition/flowFormat.ts';
import { checkFlowOptions, type CheckFlowOptions, type FlowFault } from './CheckFlowOptions.ts';
import { formatFaults } from './formatFaults.ts';
import { graphFaults } from './graphFaults.ts';
import { outputFaults } from './outputFaults.ts';
import { jsonLocations } from './jsonLocations.ts';
import { stageFaults } from './stageFaults.ts';

export type { CheckFlowOptions } from './CheckFlowOptions.ts';

/** One fault of a flow. */
export interface FlowIssue {
  /** Where in the definition: `stages.reviews.with.data_id`. */
  readonly path: string;
  /** Where in the file, counted from 1. Known for `.json` files. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly message: string;
}

/**
 * Returns all faults of a flow at once, each with its location and a suggested name if one is close. Reads the
 * heading of seed files. Sends no request.
 */
export function checkFlow(definition: unknown, options: CheckFlowOptions = {}): readonly FlowIssue[] {
  checkFlowOptions.check('checkFlow', options);
  const format = formatFaults(definition);
  const faults: FlowFault[] = [...format];
  if (hasServiceFile(definition) && options.service === undefined) {
    faults.push({ at: ['service'], message: 'a service that is a file is found by loadFlow; here, give the service itself' });
  } else if (hasStages(definition)) {
    const names = Object.keys(definition.stages);
    if (names.length === 0) faults.push({ at: ['stages'], message: 'a flow needs at least one stage' });
    const flow = soundPart(definition, format);
    const meant = [...graphFaults(flow, names), ...stageFaults(flow, options), ...outputFaults(flow, options.outDir)];
    faults.push(...meant.filter(({ at }) => !format.some((other) => at.every((key, i) => i >= other.at.length || key === other.at[i]))));
  }
  const locationOf = options.source === undefined ? undefined : jsonLocations(options.source);
  const order = new Map(hasStages(definition) ? Object.keys(definition.stages).map((name, index) => [name, index]) : []);
  const rank = ({ at }: FlowFault): number => (at[0] === 'stages' ? (order.get(String(at[1])) ?? -1) : -1);
  return faults
    .toSorted((one, other) => rank(one) - rank(other))
    .map(({ at, message }) => ({ path: at.join('.'), ...locationOf?.(at), message }));
}

/** The definition without the parts that aren't in the format, so that the rest can be checked. */
function soundPart(definition: FlowDefinition, faults: readonly FlowFault[]): FlowDefinition {
  const stages = Object.create(null) as { [stage: string]: { [key: string]: unknown } };
  for (const [name, stage] of Object.entries(definition.stages)) {
    stages[name] = { ...stage, ...(typeof stage?.with === 'object' ? { with: { ...stage.with } } : {}) };
  }
  for (const { at } of faults) {
    const [, stage, key, inner] = at;
    if (at[0] !== 'stages' || stage === undefined) continue;
    if (key === undefined || key === 'call') delete stages[stage];
    else if (inner === undefined || key !== 'with') delete stages[stage]?.[key];
    else delete (stages[stage]?.[key] as { [key: string]: unknown } | undefined)?.[inner];
  }
  return { ...definition, stages: stages as unknown as FlowDefinition['stages'] };
}

function hasServiceFile(definition: unknown): boolean {
  return typeof definition === 'object' && definition !== null && 'service' in definition && typeof definition.service === 'string';
}

function hasStages(definition: unknown): definition is FlowDefinition {
  if (typeof definition !== 'object' || definition === null || !('stages' in definition)) return false;
  const { stages } = definition;
  return typeof stages === 'object' && stages !== null && !Array.isArray(stages);
}
