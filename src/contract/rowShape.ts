import { fieldAt } from './fieldAt.ts';
import { fieldsOf, kindOfShape, type ObjectShape, type Shape } from './Shape.ts';
import { parsePath } from './valuesAt.ts';

/**
 * The shape of the rows at a path. '' is `response` itself, as a list; null is `response` as the one row. `keyed`: the rows may be
 * the members of an object. undefined if the rows aren't documented.
 */
export function rowShape(response: Shape, path: string | null, keyed?: string): Shape | undefined {
  if (path === null) return response;
  const found = fieldAt(response, path === '' ? [] : (parsePath(path)?.keys ?? path.split('.')));
  if (found.kind === 'list') return elementOf(found.shape);
  if (found.kind !== 'object') return undefined;
  if (keyed !== undefined) return memberOf(found.shape, keyed);
  return path.includes('[]') ? found.shape : undefined;
}

function elementOf(shape: Shape): Shape | undefined {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return at.of;
  const inner = at.kind === 'hint' ? elementOf(at.of) : undefined;
  return inner === undefined ? undefined : { $hint: inner };
}

/** The shape of an object's members as rows: with their key as a column. */
function memberOf(shape: Shape, keyed: string): Shape | undefined {
  const member = membersOf(shape);
  if (member === undefined) return undefined;
  const row = kindOfShape(member);
  if (row.kind === 'leaf') return { [keyed]: 'string', value: member };
  return row.kind === 'object' ? ({ [keyed]: 'string', ...row.object } as ObjectShape) : undefined;
}

function membersOf(shape: Shape): Shape | undefined {
  const at = kindOfShape(shape);
  return at.kind === 'map' ? at.map.$map : at.kind === 'object' ? fieldsOf(at.object)[0]?.shape : undefined;
}

/** Whether the members of the object at a path have a field of their own in place of their key. */
export function hasOwnKey(response: Shape, path: string, keyed: string): boolean {
  const found = fieldAt(response, path === '' ? [] : (parsePath(path)?.keys ?? []));
  const member = found.kind === 'object' ? membersOf(found.shape) : undefined;
  if (member === undefined) return false;
  const row = kindOfShape(member);
  return row.kind === 'leaf' ? keyed === 'value' : row.kind === 'object' && fieldsOf(row.object).some(({ name }) => name === keyed);
}
