import type { Shape } from './Shape.ts';
import { fieldsOf, type Field } from './fieldsOf.ts';
import { kindOfShape } from './kindOfShape.ts';

/** The documented field at a dotted path of a response, or undefined. */
export function fieldAt(response: Shape, path: string): Field | undefined {
  let shape: Shape = response;
  let field: Field | undefined;
  for (const key of path.split('.')) {
    const at = kindOfShape(shape);
    field = at.kind === 'object' ? fieldsOf(at.object).find(({ name }) => name === key) : undefined;
    if (field === undefined) return undefined;
    shape = field.shape;
  }
  return field;
}
