import type { Operation } from '../contract/Operation.ts';
import type { QueryIssue } from './QueryIssue.ts';

/** Everything that is wrong with a query; empty when it may be asked. */
export function checkQuery(operation: Operation, query: object): readonly QueryIssue[] {
  void operation;
  void query;
  return [];
}
