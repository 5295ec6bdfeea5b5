import { fieldAt, listsOf, nearestName, type FanOutSpec, type Operation } from '../../contract/index.ts';
import { parsePath } from '../definition/parseBinding.ts';
import type { FlowDefinition, StageDefinition } from '../definition/flowFormat.ts';
import { listed } from '../definition/listed.ts';
import type { CheckFlowOptions } from './CheckFlowOptions.ts';
import type { FlowFault } from './FlowFault.ts';
import { fieldFault } from './fieldFault.ts';
import { fanOutOf, operationOf, serviceOf } from '../definition/serviceOf.ts';
import { paramFaults } from './paramFaults.ts';
import { sinceFaults } from './sinceFaults.ts';
import { splitFaults } from './splitFaults.ts';
import { rowsOfStage } from './rowsOfStage.ts';

/** The faults of each stage, and of its input rows. */
export function stageFaults(flow: FlowDefinition, options: CheckFlowOptions): readonly FlowFault[] {
  const service = serviceOf(flow, options.service);
  return Object.entries(flow.stages).flatMap(([name, stage]) => {
    const at = ['stages', name];
    const operation = operationOf(service, stage.call);
    if (operation === undefined) {
      const names = [...Object.keys(service.operations), ...Object.keys(service.fanOuts)];
      const nearest = nearestName(stage.call, names);
      const hint = nearest === undefined ? `; 'trawler operations' lists them` : `; did you mean '${nearest}'?`;
      return [{ at: [...at, 'call'], message: `no operation is called '${stage.call}'${hint}` }];
    }
    return [
      ...paramFaults(flow, name, operation, options),
      ...ownFaults(stage, operation, at, fanOutOf(service, stage)),
      ...splitFaults(stage, operation, at, options),
      ...sinceFaults(stage, operation, at),
    ];
  });
}

/** The faults of what a stage says about its own response and rows. */
function ownFaults(stage: StageDefinition, operation: Operation, at: readonly string[], fanOut: FanOutSpec | undefined): FlowFault[] {
  const faults: FlowFault[] = [];
  if (stage.rows !== undefined) {
    const lists = listsOf(operation).map(({ path }) => path);
    // An undocumented list may exist. A name close to a documented one is a typing error.
    const nearest = lists.includes(stage.rows) ? undefined : nearestName(stage.rows, lists);
    if (nearest !== undefined)
      faults.push({ at: [...at, 'rows'], message: `${operation.name} has no list '${stage.rows}'; did you mean '${nearest}'?` });
    else if (
      operation.spec.variants === undefined &&
      ['value', 'object'].includes(fieldAt(operation.spec.response, stage.rows.split('.')).kind)
    )
      faults.push({ at: [...at, 'rows'], message: `${stage.rows} of ${operation.name} is no list; there are ${lists.join(', ')}` });
  }
  if (stage.cursor !== undefined && operation.spec.paging.kind !== 'cursor') {
    faults.push({ at: [...at, 'cursor'], message: `${operation.name} has no cursor to look for` });
  }
  for (const column of Object.keys(stage.keep ?? {})) {
    if (/[.[\]]/.test(column) || column === '')
      faults.push({ at: [...at, 'keep', column], message: `'${column}' can't be a column's name: it has no dots and no brackets` });
  }
  const rows = rowsOfStage(stage, operation, fanOut);
  const fields: readonly (readonly [place: readonly string[], field: string])[] = [
    ...Object.keys(stage.where ?? {}).map((field) => [['where', field], field] as const),
    ...(stage.pick ?? []).map((field) => [['pick'], field] as const),
    ...listed(stage.by).map((field) => [['by'], field] as const),
    ...Object.keys(stage.expect?.filled ?? {}).map((field) => [['expect', 'filled', field], field] as const),
  ];
  for (const [place, field] of fields) {
    const path = parsePath(field);
    const message =
      path === undefined || (place[0] === 'pick' && path.keys.includes('[]'))
        ? `'${field}' is no path: write field or object.field`
        : fieldFault(rows, path, `rows of ${operation.name}`);
    if (message !== undefined) faults.push({ at: [...at, ...place], message });
  }
  return faults;
}
