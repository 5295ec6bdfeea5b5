/** Why a page is suspect, so that it is requested a second time. */
export type Doubt =
  /** The walk would end with fewer rows than the service claims. */
  | 'short'
  /** The walk would end on an empty page that lists further ones. */
  | 'listed'
  /** The first page has no rows, though the response estimates that there are some. */
  | 'estimate'
  /** The walk would end right after a full page. */
  | 'full'
  /** An empty or repeated page leads on to others. */
  | 'idle';

/** The doubts that leave no trace if the page isn't requested a second time: nothing else says that rows may be missing. */
export const silentDoubts: ReadonlySet<Doubt> = new Set(['full', 'listed']);

/** What a page tells of a doubt: a second look is on its way, it was left out, or it showed that the doubt was right. */
export interface DoubtNews {
  readonly doubt: Doubt;
  readonly is: 'looked' | 'trusted' | 'right';
  /** Pages of the walk, this one included. */
  readonly pages: number;
}
