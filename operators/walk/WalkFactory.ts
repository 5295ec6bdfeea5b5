import type { CursorPaging, OffsetPaging, PageFactory, PageLike } from '../PageFactory.ts';

/** What a walk needs to know about an operation. Every page factory fits. */
export interface WalkFactory extends Pick<
  PageFactory<never, PageLike>,
  'name' | 'paginationError' | 'listUndocumented' | 'claims' | 'estimates' | 'id' | 'splits'
> {
  readonly paging: CursorPaging | OffsetPaging | { readonly kind: 'none' };
}
