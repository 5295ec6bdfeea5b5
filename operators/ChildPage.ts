import type { PageLike } from './PageFactory.ts';

/** A page that a fan-out requested, with the row it was requested for. `parent` isn't enumerable, so it is never written to a file. */
export type ChildPage<Page extends PageLike, Parent> = Page & { readonly parent: Parent };
