import { everyKmWords, kmOf } from '../../../operators/gridPoints.ts';
import type { Within } from '../../../operators/split/Area.ts';
import { readPoint, writePoint } from '../../../operators/split/AreaSpec.ts';
import { gridOf, mostPoints, type PointOnEarth } from '../../../operators/split/gridOf.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import type { Operation, QueryValue } from '../../contract/index.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';
import type { ParamBinding, QueryBinding } from '../definition/parseBinding.ts';
import { readArea, withinFault, type CheckedFolder, type CompiledFolder, type SplitFault } from './readArea.ts';

export interface StageGrid {
  /** The parameter that takes a point. */
  readonly param: string;
  readonly values: readonly ParamBinding[];
  readonly pointOf: (value: QueryValue) => PointOnEarth | undefined;
}

/** The columns that say at which point a row was found. */
export const pointColumns = ['point_latitude', 'point_longitude'] as const;

const usualZoom = 15;

/** What is wrong with a stage's grid, besides what `compileGrid` throws. */
export function gridFault(stage: StageDefinition, { name, spec }: Operation, where: CheckedFolder): SplitFault | undefined {
  const { within, every, points } = stage.grid!;
  const param = spec.splits?.area?.param;
  if (param === undefined) return { message: `${name} doesn't say how to search at a point of the map` };
  if (ownValue(stage.with, param) !== undefined) return { message: `leave ${param} out of with: each point has its own` };
  if ((every === undefined) === (points === undefined)) return { message: 'a grid has every or points, and not both' };
  if (every !== undefined && kmOf(every) === undefined) return { message: `every must be ${everyKmWords}`, at: 'every' };
  return withinFault(stage, within, where);
}

/** Throws a RangeError that says what is wrong with the area or the grid. */
export function compileGrid(
  { grid }: StageDefinition,
  { spec: { splits } }: Operation,
  { bind, ...where }: CompiledFolder,
): StageGrid | undefined {
  if (grid === undefined) return undefined;
  const { within, every, points, zoom = usualZoom } = grid;
  const spec = splits!.area!;
  const size = points === undefined ? { everyKm: kmOf(every)! } : { points };
  const valuesIn = (given: string | Within, ofRow: boolean): readonly string[] => {
    const area = readArea('grid', given, where, ofRow);
    return gridOf(area, size).map((point) => writePoint(spec, { ...point, zoom }));
  };
  const isField = typeof within === 'string' && within.startsWith('$');
  const values = isField
    ? [
        {
          kind: 'each',
          from: bind(within),
          most: points ?? mostPoints,
          valuesOf: (value: QueryValue) => valuesIn(value as string | Within, true),
        } as const,
      ]
    : valuesIn(within as string | Within, false).map((value) => ({ kind: 'constant', value }) as const);
  return { param: spec.param, values, pointOf: (value) => readPoint(spec, textOfValue(value)) };
}

/** The columns of a stage's rows that say where they were found. */
export function pointKeep({ param, pointOf }: StageGrid): readonly (readonly [column: string, value: QueryBinding])[] {
  const [latitude, longitude] = pointColumns;
  const of = (name: keyof PointOnEarth): QueryBinding => ({
    kind: 'query',
    param,
    type: 'number',
    read: (value) => pointOf(value)?.[name],
  });
  return [
    [latitude, of('latitude')],
    [longitude, of('longitude')],
  ];
}
