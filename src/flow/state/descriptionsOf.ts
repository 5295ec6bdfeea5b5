import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import type { Flow } from '../definition/Flow.ts';
import type { Descriptions } from '../core/events.ts';
import { digestOf } from '../core/Query.ts';

export function descriptionsOf({ service: { basePath, envelope }, stages }: Flow): Descriptions {
  const operations = new Set(stages.map(({ operation }) => operation));
  return Object.fromEntries(
    Array.from(operations, ({ name, spec }) => [name, digestOf(canonicalJson([basePath, envelope, spec])).toString(36)]),
  );
}

/** The notice for a run that began with other descriptions. undefined: they are the same. */
export function redescribed(before: Descriptions | undefined, flow: Flow): string | undefined {
  if (before === undefined) return undefined;
  const changed = Object.entries(descriptionsOf(flow)).flatMap(([name, digest]) => (before[name] === digest ? [] : [name]));
  if (changed.length === 0) return undefined;
  return `the description of ${changed.join(' and ')} was changed since this run began. What it has already was read by the old one, so rows may be missing. To read everything by the new one, start over with fresh`;
}
