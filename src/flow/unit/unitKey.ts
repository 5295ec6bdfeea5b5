import type { Query } from './bindQueries.ts';

/** The same text for the same stage and query, whatever the order of its parameters. */
export function unitKey(stage: string, query: Query): string {
  return JSON.stringify([
    stage,
    ...Object.keys(query)
      .sort()
      .flatMap((name) => [name, query[name]]),
  ]);
}
