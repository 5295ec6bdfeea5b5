import type { Column } from './contract/Column.ts';
import type { Operation } from './contract/Operation.ts';

/**
 * The columns of a table of an operation's rows, in documented order: nested objects become dotted columns, lists and objects
 * whose fields vary are JSON. `list` names another list of the answer (null: the answer itself); none are known for a list
 * that isn't documented. The result is made once and shared.
 */
export function columnsOf(operation: Operation, list: string | null = operation.spec.list): readonly Column[] {
  void list;
  return [];
}
