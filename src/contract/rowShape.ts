import { fieldAt } from './fieldAt.ts';
import { kindOfShape } from './kindOfShape.ts';
import type { Shape } from './Shape.ts';

/**
 * The shape of the rows in the list at a dotted path. '' is `response` itself, as a list; null is `response` as the one
 * row. undefined if the rows aren't documented.
 */
export function rowShape(response: Shape, path: string | null): Shape | undefined {
  if (path === null) return response;
  const found = fieldAt(response, path === '' ? [] : path.split('.'));
  return found.kind === 'list' ? elementOf(found.shape) : undefined;
}

function elementOf(shape: Shape): Shape | undefined {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return at.of;
  const inner = at.kind === 'hint' ? elementOf(at.of) : undefined;
  return inner === undefined ? undefined : { $hint: inner };
}
