import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Operation } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';
import { isSeeds } from '../definition/isSeeds.ts';
import { listed } from '../definition/listed.ts';
import { parsePath } from '../definition/parseBinding.ts';
import { compileSplit } from '../split/compileSplit.ts';
import type { CheckFlowOptions } from './CheckFlowOptions.ts';
import type { FlowFault } from './FlowFault.ts';
import { outsideOf } from './outsideOf.ts';

/** The faults of `split` and `cover`. */
export function splitFaults(stage: StageDefinition, operation: Operation, at: readonly string[], options: CheckFlowOptions): FlowFault[] {
  const { cover, split } = stage;
  if (cover === undefined && split === undefined) return [];
  const key = cover === undefined ? 'split' : 'cover';
  const fault = (message: string, ...deeper: string[]): FlowFault[] => [{ at: [...at, key, ...deeper], message }];
  if (cover !== undefined && split !== undefined) return fault('a stage has cover or split, not both');
  const param = operation.spec.splits?.area?.param;
  if (cover !== undefined) {
    const seeds = listed(stage.each).some(isSeeds);
    if (stage.each !== undefined && !seeds)
      return fault('a stage that covers areas runs by itself or over seeds, not over rows of another');
    if (param !== undefined && stage.with?.[param] !== undefined) return fault(`leave ${param} out of with: each tile has its own`);
    if (typeof cover.area === 'string' && cover.area.startsWith('$')) {
      if (!seeds) return fault(`${cover.area} reads a field of the seeds; there are none`, 'area');
      if (parsePath(cover.area.replace(/^\$\./, '')) === undefined) return fault(`'${cover.area}' is no path: write $.field`, 'area');
    } else if (typeof cover.area === 'string' && !/^\s*[[{]/.test(cover.area)) {
      if (!existsSync(resolve(options.folder ?? '.', cover.area))) return fault(`there is no file ${cover.area}`, 'area');
      const outside = outsideOf(cover.area, options);
      if (outside !== undefined) return fault(outside, 'area');
    }
  }
  try {
    compileSplit(stage, operation, resolve(options.folder ?? '.'), (text) => ({ kind: 'field', ...parsePath(text.replace(/^\$\./, ''))! }));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fault(error.message);
  }
  return [];
}
