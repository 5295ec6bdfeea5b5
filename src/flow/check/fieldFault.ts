import { ownValue } from '../../../operators/kit/ownValue.ts';
import {
  fieldAt,
  keyOfRows,
  nearestName,
  rowShape,
  variantFor,
  type FanOutSpec,
  type Operation,
  type Shape,
} from '../../contract/index.ts';
import type { FieldPath } from '../../contract/valuesAt.ts';
import type { StageDefinition } from '../definition/flowFormat.ts';

/** What is known about the rows of a stage: their shape, and the kept columns. */
export interface RowsOfStage {
  readonly shape: Shape;
  readonly kept: readonly string[];
}

export function rowsOfStage(stage: StageDefinition, operation: Operation, fanOut?: FanOutSpec): RowsOfStage {
  const { response, list, variants } = operation.spec;
  const kept = Object.keys(stage.keep ?? {});
  const value = variants === undefined ? undefined : (ownValue(stage.with, variants.param) ?? ownValue(fanOut?.with, variants.param));
  const variant = variantFor(operation.spec, value);
  const path = stage.rows ?? (variant === undefined ? list : variant.list);
  const shape = rowShape(variant?.response ?? response, path, keyOfRows(operation, path)) ?? 'unknown';
  return { shape, kept };
}

/** Why a path finds nothing in these rows. With `value`: why it finds no single value. undefined if it is right. */
export function fieldFault(rows: RowsOfStage, { path, keys }: FieldPath, whose: string, value: boolean = false): string | undefined {
  if (rows.kept.includes(keys[0]!) || rows.kept.includes(path)) return undefined;
  const found = fieldAt(rows.shape, keys);
  switch (found.kind) {
    case 'missing': {
      const names = [...new Set([...found.names, ...rows.kept])].filter((name) => !mayBeKey(name));
      const nearest = nearestName(found.key, names);
      if (nearest !== undefined) return `${whose} have no '${path}'; did you mean '${path.replace(found.key, nearest)}'?`;
      return `${whose} have no '${path}'${names.length === 0 ? '' : `; there are ${names.join(', ')}`}`;
    }
    case 'no list':
      return `'${path}' has [] after something that isn't a list`;
    case 'list':
      return value ? `'${path}' is a list: write '${path}[]' to run over it` : undefined;
    case 'object':
      return value ? `'${path}' is an object: name one of its fields` : undefined;
    default:
      return undefined;
  }
}

/** A seed file without a heading may begin with a key. */
function mayBeKey(name: string): boolean {
  return /\d/.test(name) && (/[a-z\d+/]{16}/i.test(name) || (name.length >= 12 && name.replace(/\D/g, '').length >= 4));
}
