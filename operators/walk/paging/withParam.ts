import type { Token } from './Token.ts';

/** A copy of a query in which one parameter has another value. */
export function withParam<Query extends object>(query: Query, name: string, value: Token): Query {
  // A spread copy takes ten times as long to add a field, but Object.assign loses a field named __proto__.
  const assigns = name !== '__proto__' && !Object.hasOwn(query, '__proto__');
  return assigns ? Object.assign({}, query, { [name]: value }) : { ...query, [name]: value };
}
