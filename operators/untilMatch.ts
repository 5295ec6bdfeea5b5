import type { MonoTypeOperatorFunction } from 'rxjs';
import { callback, declareOptions } from './options/index.ts';
import { defineOperator } from './kit/defineOperator.ts';
import type { PageLike } from './PageLike.ts';
import { isWanted, testsOf, type RowConditions } from './rowConditions.ts';
import type { FoundRow } from './walk/Walk.ts';

/** The result of a walk that looked for a row. Without `rank` and `page`, the row isn't among the `rows` that were walked. */
export interface MatchEnd extends Partial<FoundRow> {
  readonly rows: number;
}

export interface UntilMatchOptions {
  /** Called with the result of the walk, before it completes. @default none */
  readonly ended?: ((end: MatchEnd) => void) | undefined;
}

const untilMatchOptions = declareOptions<UntilMatchOptions>()({ ended: callback() });

/**
 * Walks the pages of one query up to the first row that fulfils all conditions. The page with it is emitted whole. Then the walk is
 * unsubscribed, so no further page is requested. Conditions are those of `where` in a flow: a value, a list of values, or
 * comparisons, of which `domain` takes a site and those below it, and `contains` a part of a text.
 *
 * - Order: kept. Concurrency: none. Cancellation: unsubscribing ends the walk, and `ended` isn't called.
 * - Cost: the pages up to the row. Behind `offsetPages` with `lookahead`, up to `lookahead - 1` more.
 *
 * @example
 * of({ query: 'coffee grinder' }).pipe(offsetPages(client.webSearch, { maxPages: 6 }), untilMatch({ link: { domain: 'example.com' } }))
 */
export function untilMatch<Page extends PageLike>(
  conditions: RowConditions,
  options: UntilMatchOptions = {},
): MonoTypeOperatorFunction<Page> {
  const { ended } = untilMatchOptions.read('untilMatch', options);
  const tests = testsOf('untilMatch', conditions);
  const isMatch = (row: unknown): boolean => typeof row === 'object' && row !== null && isWanted(row, tests);
  return defineOperator<Page, Page>((source, out) => {
    let rows = 0;
    let page = 0;
    const end = (found?: FoundRow): void => {
      ended?.({ ...found, rows });
      if (!out.closed) out.complete();
    };
    out.listen(source, {
      next(value) {
        const at = value.items.findIndex(isMatch);
        const found = { rank: rows + at + 1, page: ++page };
        rows += value.items.length;
        out.next(value);
        if (at >= 0 && !out.closed) end(found);
      },
      complete: () => end(),
    });
  });
}
