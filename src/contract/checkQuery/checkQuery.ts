import type { QueryIssue } from './rules.ts';
import type { Operation } from '../Operation.ts';
import { nearestName } from '../../../operators/check/nearestName.ts';
import { shorten, shown } from '../shown.ts';
import { querySchema } from './querySchema.ts';

const none: readonly QueryIssue[] = [];

/**
 * Returns all problems of a query, or an empty list if it is valid. A parameter that is undefined counts as not given.
 * Costs a few microseconds once the operation's schema has been made.
 */
export function checkQuery(operation: Operation, query: object): readonly QueryIssue[] {
  const result = querySchema(operation).safeParse(query);
  if (result.success) return none;
  const issues: QueryIssue[] = [];
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const name of issue.keys) {
        if ((query as { readonly [name: string]: unknown })[name] !== undefined) issues.push(unknown(operation, name));
      }
    } else if (issue.path.length === 0) {
      issues.push({ param: '', message: `the query of ${operation.name} must be an object, not ${shown(query)}` });
    } else {
      issues.push({ param: String(issue.path[0]), message: issue.message });
    }
  }
  return issues;
}

function unknown(operation: Operation, name: string): QueryIssue {
  const names = Object.keys(operation.params);
  const nearest = nearestName(name, names);
  const instead = nearest === undefined ? `it has ${names.join(', ')}` : `did you mean ${nearest}?`;
  return { param: shorten(name), message: `${shown(name)} is not a parameter of ${operation.name}; ${instead}` };
}
