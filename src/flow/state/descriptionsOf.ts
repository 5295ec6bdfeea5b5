import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import { sha256 } from '../../files/blocks.ts';
import type { Flow } from '../definition/Flow.ts';

/** How the service describes each operation of a flow: digests, by operation. */
export interface Descriptions {
  readonly [operation: string]: string;
}

export function descriptionsOf({ service: { basePath, envelope }, stages }: Flow): Descriptions {
  return Object.fromEntries(
    stages.map(({ operation }) => [
      operation.name,
      sha256()
        .update(canonicalJson([basePath, envelope, operation.spec]))
        .digest('hex'),
    ]),
  );
}

/** The notice for a run that began with other descriptions. undefined: they are the same. */
export function redescribed(before: Descriptions | undefined, flow: Flow): string | undefined {
  const changed = Object.entries(descriptionsOf(flow)).flatMap(([name, digest]) =>
    before === undefined || before[name] === digest ? [] : [name],
  );
  if (changed.length === 0) return undefined;
  return `the description of ${changed.join(' and ')} was changed since this run began. What it has already was read by the old one, so rows may be missing. To read everything by the new one, start over with fresh`;
}
