/** A header of stored responses that several queries share: their ids, as JSON. */
export const batchHeader = 'trawler-batch';

/** The ids of the queries that share a stored response. undefined: it is that of one query. */
export function batchIn(header: string | readonly string[] | undefined): readonly string[] | undefined {
  if (typeof header !== 'string') return undefined;
  try {
    const ids: unknown = JSON.parse(header);
    return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined;
  } catch {
    return undefined;
  }
}
