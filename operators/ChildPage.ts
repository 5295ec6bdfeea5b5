import type { PageLike } from './PageFactory.ts';

/** A page that a fan-out asked for, with the row it was asked for. `parent` isn't enumerable, so it is never written to a file. */
export type ChildPage<Page extends PageLike, Parent> = Page & { readonly parent: Parent };
