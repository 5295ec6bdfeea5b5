import { ownValue } from '../../kit/ownValue.ts';
import { dataPath, object, param as paramName, yes } from '../../options/fieldKinds.ts';
import { either, flag, like, listOf, number, oneOf, text, whole } from '../../options/kinds.ts';
import { declareFields } from '../../options/OptionSet.ts';
import { valueAt } from '../valueAt.ts';
import type { WalkOptions } from '../WalkOptions.ts';
import { alone, type Alone, aloneWith, beginWith, follow, isInside, saysMore, withParam } from './follow.ts';
import type { Onward, PagingKind, WalkedPage } from './PagingKind.ts';
import { singlePaging } from './singlePaging.ts';
import { isSameValue, hasContent } from './Token.ts';

/** The response contains a token for the next page, or its address. */
export interface CursorPaging {
  readonly kind: 'cursor';
  /** The query's parameter that takes the token. */
  readonly param: string;
  /** Where in `data` to look for it. The first path with a value is used. */
  readonly at: readonly string[];
  /** `at` is a guess: the response's shape doesn't have these fields. */
  readonly undocumented?: true;
  /** Rows of a full page, if documented. A full page without a token is requested once more. */
  readonly size?: number;
  /** How to page backwards, if possible. */
  readonly previous?: PreviousPage;
  /** The token is the address of the next page. The request goes there instead of to the operation's own path. */
  readonly address?: true;
  /** The address is the page's `next`, from its `Link` header, and not in `data`. Goes with `address`. */
  readonly link?: true;
  /** The token is in this header of the response, such as `x-continuation`, and not in `data`. */
  readonly header?: string;
  /** The token of the first page, such as `'*'`, sent if the query has none. */
  readonly first?: string | number;
  /** Where `data` says whether there are more pages. False means the end, and true without a token is an error. */
  readonly more?: string;
  /** A request with a token has no other parameters than those of the path, and these. */
  readonly alone?: Alone;
  /** The path of a request with a token, if it is another one. It may have `{parameters}` that the operation's path has. */
  readonly path?: `/${string}`;
  /**
   * True: the token may stay the same from page to page, because the service counts its pages. False: each page has a token of its own,
   * so a killed flow requests no page again. Without it, a token that stays the same is reported, and a killed flow finds out.
   */
  readonly repeats?: boolean;
}

export interface PreviousPage {
  /** The query's parameter that takes the token of the page before. */
  readonly param: string;
  /** Where in `data` to look for that token. The first path with a value is used. */
  readonly at: readonly string[];
}

const fields = declareFields<CursorPaging>()({
  kind: oneOf('cursor').needed(),
  param: paramName().needed(),
  at: listOf(dataPath()).needed(),
  undocumented: yes(),
  size: whole({ from: 1 }),
  previous: object<PreviousPage>(declareFields<PreviousPage>()({ param: paramName().needed(), at: listOf(dataPath()).needed() })),
  address: yes(),
  link: yes(),
  header: text('the name of a header'),
  first: either(text(), number()),
  more: dataPath(),
  alone,
  path: like<`/${string}`>('a path that starts with a slash', (at) => typeof at === 'string' && at.startsWith('/')),
  repeats: flag(),
});

/**
 * Tells requests apart that are the same: how many pages of the walk had this token before. It is in a query, so that stores and
 * journals know the page, and is never sent.
 */
const count = '#';

export const cursorPaging: PagingKind<CursorPaging> = {
  ...singlePaging,
  fields,
  operator: 'expandCursor',
  by: 'by token',
  endsEmpty: false,
  leads: true,
  text({ param, at, address, link, header, previous }) {
    const token = address === true ? 'the address of the next page' : 'the token of the page before';
    const back = previous === undefined ? '' : `; ${previous.param} goes back`;
    return `${param} takes ${token}, from ${link === true ? 'the Link header' : header === undefined ? at.join(' or ') : `the header ${header}`}${back}`;
  },
  takes: ({ previous }) => ['startCursor', 'cursorAt', ...(previous === undefined ? [] : (['direction'] as const))],
  params: ({ param, previous }) => (previous === undefined ? [param] : [param, previous.param]),
  param,
  writes: () => [count],
  pageSize: ({ size }) => size,
  tokenAt: ({ at }) => at,
  address: (paging) => (paging.address === true ? paging.param : undefined),
  fromHeader: ({ link, header }) => (link === true ? 'link' : header?.toLowerCase()),
  resumes: () => false,
  isCounted: (_, query) => ownValue(query, count) !== undefined,
  mayCount: ({ repeats, address }) => repeats === undefined && address !== true,
  sent: (paging, query) => aloneWith(paging.alone, tokensOf(paging, query)),
  path: (paging, query) => (paging.path === undefined || tokensOf(paging, query).length === 0 ? undefined : paging.path),
  begin(paging, query, options) {
    const name = param(paging, options);
    const start = options.startCursor ?? (ownValue(query, name) === undefined && name === paging.param ? paging.first : undefined);
    return beginWith(query, name, start, paging.first);
  },
  onward,
  move(paging, query, token, options) {
    const name = param(paging, options);
    const next = withParam(query, name, token) as typeof query & { [param: string]: unknown };
    // The token of the opposite direction would contradict this one.
    for (const other of cursorPaging.params(paging)) if (other !== name) delete next[other];
    const stays = paging.repeats === true || isSameValue(token, ownValue(query, name));
    if (stays) Object.assign(next, { [count]: Number(ownValue(query, count) ?? 0) + 1 });
    else if (count in next) delete next[count];
    return next;
  },
};

function param(paging: CursorPaging, { direction }: WalkOptions): string {
  return direction === 'previous' ? (paging.previous?.param ?? paging.param) : paging.param;
}

/** The parameters of a query that have a token of a page inside. */
function tokensOf(paging: CursorPaging, query: object): readonly string[] {
  return cursorPaging.params(paging).filter((name) => isInside(ownValue(query, name), paging.first));
}

/** No token, or an empty one, means the end. */
function onward(paging: CursorPaging, walked: WalkedPage): Onward {
  const { operation, state, page, options, notices } = walked;
  const { cursorAt, direction } = options;
  const back = direction === 'previous';
  const paths = typeof cursorAt === 'string' ? [cursorAt] : ((back ? paging.previous?.at : paging.at) ?? []);
  const inHeader = cursorPaging.fromHeader(paging) !== undefined && !back && cursorAt === undefined;
  const found = typeof cursorAt === 'function' ? [cursorAt(page)] : inHeader ? [page.next] : paths.map((path) => valueAt(page.data, path));
  const more = back ? undefined : saysMore(page.data, paging.more);
  const tell = (path: string, message: string): void =>
    void notices.push({ type: 'drift', operation: operation.name, query: state.query, issues: [{ path, message }] });

  const token = more === false ? undefined : found.find((value) => (typeof value === 'object' ? value !== null : hasContent(value)));
  if (token !== undefined) {
    const next = follow(walked, param(paging, options), token, paging.repeats === true);
    if (next.kind !== 'stays') return next;
    if (!next.expected && ownValue(state.query, count) === undefined)
      tell(paths[0] ?? '', 'the token stays the same from page to page; if that is normal, say repeats: true');
    return more === true ? { kind: 'on', cursor: next.cursor } : next;
  }
  if (more === true)
    return { kind: 'lost', message: `${paging.more} says that there are more pages, and there is no token for the next one` };
  if (more === false) return { kind: 'end', told: true };
  return { kind: 'end' };
}
