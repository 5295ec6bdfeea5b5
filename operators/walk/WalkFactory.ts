import type { PageFactory, PageLike } from '../PageFactory.ts';

/** What a walk needs to know about an operation. Every page factory fits. */
export type WalkFactory = Pick<
  PageFactory<never, PageLike>,
  'name' | 'paging' | 'paginationError' | 'listUndocumented' | 'claims' | 'estimates' | 'id' | 'splits'
>;
