import type { CursorPaging, OffsetPaging, PageFactory, PageLike } from '../PageFactory.ts';

/** What a walk has to know of an operation: every page factory is one. */
export interface WalkFactory extends Pick<PageFactory<never, PageLike>, 'name' | 'paginationError' | 'listUndocumented' | 'claims'> {
  readonly paging: CursorPaging | OffsetPaging | { readonly kind: 'none' };
}
