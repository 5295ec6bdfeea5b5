import type { FaultAction } from './FaultAction.ts';

export interface DeepOptions {
  /** @default 100000 */
  readonly levels?: number | undefined;
  /** In an undocumented field of a good answer, or instead of the whole document. @default 'field' */
  readonly in?: 'field' | 'document' | undefined;
}

/** Lists in lists in lists. */
export function deep({ levels = 100_000, in: where = 'field' }: DeepOptions): FaultAction {
  const nested = '['.repeat(levels) + ']'.repeat(levels);
  return {
    play(exchange) {
      const headers = { 'content-type': 'application/json' };
      if (where === 'document') return exchange.send(200, nested, headers);
      const { data, ...rest } = exchange.envelope();
      const marked = JSON.stringify({ ...rest, data: { ...(data as object), deep: 'DEEP' } });
      exchange.send(
        200,
        marked.replace('"deep":"DEEP"', () => `"deep":${nested}`),
        headers,
      );
    },
  };
}
