import { parsePath } from '../../../operators/kit/path.ts';
import { instead } from '../../contract/index.ts';
import { fanOutOf, operationOf, servicesOf } from '../definition/Flow.ts';
import { type FlowDefinition, listed, outputsIn } from '../definition/flowFormat.ts';
import { placeColumns } from '../definition/columnsOfStage.ts';
import { pointColumns } from '../split/gridParam.ts';
import type { FlowFault, GivenCheckOptions } from './CheckFlowOptions.ts';
import { fieldFault, rowsOfStage } from './inputRows.ts';

const made: ReadonlySet<string> = new Set(['seen_at', 'first_seen', 'last_seen', 'runs', ...pointColumns]);

/** What the row has besides that a query looks for. */
const ofMatch: ReadonlySet<string> = new Set(placeColumns.map(({ path }) => path));

/** The faults of what a flow shows first. */
export function headlineFaults(flow: FlowDefinition, options: GivenCheckOptions): readonly FlowFault[] {
  const { headline = [] } = flow;
  const isList = Array.isArray(headline);
  const all = (isList ? headline : [headline]) as readonly Exclude<NonNullable<FlowDefinition['headline']>, readonly unknown[]>[];
  return all.flatMap((one, index) => {
    const at = ['headline', ...(isList ? [index] : [])];
    const kinds = (['table', 'series', 'map'] as const).filter((kind) => one[kind] !== undefined);
    const [kind] = kinds;
    if (kind === undefined || kinds.length > 1) return [{ at, message: 'a headline has one of table, series and map' }];
    if (kind !== 'table' && one.of === undefined) return [{ at, message: `a ${kind} needs of: the column whose numbers it shows` }];
    if (kind === 'table' && one.each === undefined) return [{ at, message: 'a table needs each: the columns of its lines' }];
    if (one.share !== undefined && (kind !== 'table' || one.of !== undefined))
      return [{ at: [...at, 'share'], message: 'share is for a table, instead of of' }];
    if (one.over !== undefined && kind !== 'series') return [{ at: [...at, 'over'], message: 'over is for a series' }];
    const files = new Map(Object.values(flow.stages).flatMap((stage) => outputsIn(stage.to).map(({ file }) => [file, stage] as const)));
    const stage = files.get(one[kind]!);
    if (stage === undefined)
      return [{ at: [...at, kind], message: `no stage writes '${one[kind]}'${instead(one[kind]!, [...files.keys()], '')}` }];
    const service = servicesOf(flow, options, stage)[0]!;
    const operation = operationOf(service, stage);
    if (operation === undefined) return [];
    const rows = rowsOfStage(stage, operation, fanOutOf(service, stage));
    return (['of', 'each', 'share', 'over'] as const).flatMap((key) =>
      listed(one[key]).flatMap((name) => {
        const path = parsePath(name);
        const isMade = made.has(name) || (stage.until !== undefined && ofMatch.has(name));
        const message = isMade ? undefined : path === undefined ? `'${name}' is no column` : fieldFault(rows, path, true);
        return message === undefined ? [] : [{ at: [...at, key], message }];
      }),
    );
  });
}
