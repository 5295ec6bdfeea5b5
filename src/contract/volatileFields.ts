import { fieldsOf, kindOfShape, leafOf } from './kindOfShape.ts';
import type { Shape } from './Shape.ts';

/** The dotted paths of a row's fields that hold a relative time, such as `2 days ago`, and so change by themselves. */
export function volatileFields(shape: Shape, before = ''): readonly string[] {
  const at = kindOfShape(shape);
  if (at.kind === 'nullable') return volatileFields(at.of, before);
  if (at.kind !== 'object') return [];
  return fieldsOf(at.object).flatMap(({ name, shape: inner }) => {
    const kind = kindOfShape(inner);
    if (kind.kind === 'leaf') return leafOf(kind.leaf).remark === 'relative text' ? [`${before}${name}`] : [];
    return volatileFields(inner, `${before}${name}.`);
  });
}
