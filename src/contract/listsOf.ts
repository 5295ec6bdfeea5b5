import { columnsOf } from './columnsOf.ts';
import { fieldsOf } from './fieldsOf.ts';
import { kindOfShape } from './kindOfShape.ts';
import { leafOf } from './leafOf.ts';
import type { Operation } from './Operation.ts';
import type { Shape } from './Shape.ts';

/** A list in an operation's response that can be read as rows. */
export interface ListOf {
  /** The dotted path in `data`. */
  readonly path: string;
  /** Rows are read from here by default. */
  readonly default: boolean;
  /** Dotted names of a row's documented fields; empty where they aren't documented. */
  readonly columns: readonly string[];
}

/** The lists of a response, in documented order. */
export function listsOf(operation: Operation): readonly ListOf[] {
  const { response, list } = operation.spec;
  return pathsOf(response, '').map((path) => ({
    path,
    default: path === list,
    columns: columnsOf(operation, path).map((column) => column.path),
  }));
}

function pathsOf(shape: Shape, path: string): readonly string[] {
  const outer = kindOfShape(shape);
  const at = outer.kind === 'hint' ? kindOfShape(outer.of) : outer;
  if (at.kind === 'object')
    return fieldsOf(at.object).flatMap((field) => pathsOf(field.shape, path === '' ? field.name : `${path}.${field.name}`));
  const isList = at.kind === 'list' || (at.kind === 'leaf' && leafOf(at.leaf).type === 'array');
  return isList ? [path] : [];
}
