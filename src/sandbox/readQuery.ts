import { checkQuery } from '../contract/checkQuery/checkQuery.ts';
import { coerceQuery } from '../contract/coerceQuery.ts';
import type { Operation } from '../contract/Operation.ts';
import { SandboxRefusal } from './SandboxRefusal.ts';
import type { WorldQuery } from './world/World.ts';

/** Parses a request's parameters into a typed query. Throws a SandboxRefusal if the operation doesn't allow it. */
export function readQuery(operation: Operation, search: URLSearchParams): WorldQuery {
  const twice = [...new Set(search.keys())].filter((name) => search.getAll(name).length > 1);
  if (twice.length > 0) throw new SandboxRefusal(400, `${operation.name}: given more than once: ${twice.join(', ')}`);
  const query = coerceQuery(operation, Object.fromEntries(search));
  const issues = checkQuery(operation, query);
  if (issues.length > 0) throw new SandboxRefusal(400, `${operation.name}: ${issues.map(({ message }) => message).join('; ')}`);
  return query as WorldQuery; // the imitated service has plain parameters only
}
