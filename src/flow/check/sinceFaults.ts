import type { Operation } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';
import { listed } from '../definition/listed.ts';
import { parsePath } from '../definition/parseBinding.ts';
import { fieldFault } from './fieldFault.ts';
import type { FlowFault } from './FlowFault.ts';
import { rowsOfStage } from './rowsOfStage.ts';

/** What is wrong with how a stage says what is new. */
export function sinceFaults(stage: StageDefinition, operation: Operation, at: readonly string[]): FlowFault[] {
  const { since } = stage;
  if (since === undefined) return [];
  const { order, id } = operation.spec;
  const place = [...at, 'since'];
  const faults: FlowFault[] = [];
  const time = since.field ?? order?.time;
  if (time === undefined) faults.push({ at: place, message: `name the 'field': ${operation.name} doesn't say when a row is from` });
  const key = stage.by === undefined ? [since.id ?? id].filter((one) => one !== undefined) : listed(stage.by);
  if (key.length === 0) faults.push({ at: place, message: `name the 'id': ${operation.name} doesn't say what identifies a row` });
  for (const [name, field] of [
    ['field', since.field],
    ['id', since.id],
  ] as const) {
    const path = field === undefined ? undefined : parsePath(field);
    const message = path === undefined ? undefined : fieldFault(rowsOfStage(stage, operation), path, `rows of ${operation.name}`, true);
    if (message !== undefined) faults.push({ at: [...place, name], message });
  }
  const left = stage.pick === undefined ? [] : [...key, ...(time === undefined ? [] : [time])].filter((field) => !isPicked(stage, field));
  for (const field of left) faults.push({ at: [...at, 'pick'], message: `pick '${field}', too: an update finds by it what is new` });
  const sorted = order === undefined ? undefined : stage.with?.[order.param];
  if (order?.newest !== undefined && sorted !== undefined && sorted !== order.newest)
    faults.push({ at: [...at, 'with', order.param], message: `a stage with 'since' is walked newest first: leave out ${order.param}` });
  return faults;
}

function isPicked({ pick = [], keep = {} }: StageDefinition, field: string): boolean {
  return Object.hasOwn(keep, field) || pick.some((one) => `${field}.`.startsWith(`${one}.`));
}
