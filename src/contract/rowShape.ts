import type { ObjectShape, Shape } from './Shape.ts';
import { kindOfShape } from './kindOfShape.ts';
import { fieldAt } from './fieldAt.ts';

/** The shape of the rows in the list at a dotted path; `answer` itself for null; undefined where it isn't documented. */
export function rowShape(answer: ObjectShape, path: string | null): Shape | undefined {
  if (path === null) return answer;
  const field = fieldAt(answer, path);
  const at = field === undefined ? undefined : kindOfShape(field.shape);
  return at?.kind === 'list' ? at.of : undefined;
}
