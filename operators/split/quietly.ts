import type { PageFactory, PageLike } from '../PageFactory.ts';

/** The same factory without reports of walks that end at a limit. Narrower walks find what these miss. */
export function quietly<Query extends object, Page extends PageLike>(factory: PageFactory<Query, Page>): PageFactory<Query, Page> {
  const { paging, listUndocumented, claims, heedsDemand, id, splits, paginationError } = factory;
  const quiet = (...args: Parameters<typeof factory>): ReturnType<typeof factory> => factory(...args);
  Object.defineProperty(quiet, 'name', { value: factory.name });
  const notify: PageFactory<Query, Page>['notify'] = (event) => (event.type === 'truncated' ? undefined : factory.notify?.(event));
  return Object.assign(quiet, {
    paging,
    listUndocumented,
    claims,
    heedsDemand,
    id,
    splits,
    notify,
    ...(paginationError === undefined ? {} : { paginationError }),
  });
}
