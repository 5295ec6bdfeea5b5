import type { Shape } from './Shape.ts';
import { kindOfShape } from './kindOfShape.ts';
import { fieldAt } from './fieldAt.ts';

/** The shape of the rows in the list at a dotted path, '' for `response`; `response` itself for null; undefined where it isn't documented. */
export function rowShape(response: Shape, path: string | null): Shape | undefined {
  if (path === null) return response;
  const shape = path === '' ? response : fieldAt(response, path)?.shape;
  const at = shape === undefined ? undefined : kindOfShape(shape);
  if (at?.kind !== 'hint') return at?.kind === 'list' ? at.of : undefined;
  const inner = kindOfShape(at.of);
  return inner.kind === 'list' ? { $hint: inner.of } : undefined;
}
