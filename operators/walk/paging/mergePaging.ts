import { ownValue } from '../../kit/ownValue.ts';
import type { Alone } from './cursorPaging.ts';
import { beginWith, followToken, hasContent, withParam } from './followToken.ts';
import { type PagingKind, usualPaging } from './PagingKind.ts';

/** The response contains an object. Each member of it is a parameter of the next request, declared or not. */
export interface MergePaging {
  readonly kind: 'merge';
  /** Where the object is: a dotted path in the whole body, not in the envelope's data. */
  readonly at: string;
  /** A later request has no other parameters than these members, those of the path, and these. */
  readonly alone?: Alone;
}

/** What holds the members in a query, so that a declared parameter can have the name of a member. */
export const nextMembers = '...next';

export function mergePaging({ at }: MergePaging): PagingKind {
  return {
    ...usualPaging,
    operator: 'expandCursor',
    by: 'by parameters in the response',
    endsEmpty: false,
    comesBack: true,
    takes: ['startCursor'],
    param: () => nextMembers,
    begin: (query, { startCursor }) => beginWith(query, nextMembers, startCursor),
    onward(walked) {
      const { next } = walked.page;
      if (!hasContent(next)) return { kind: 'end' };
      const onward = followToken(walked, nextMembers, next);
      if (onward.kind !== 'stays') return onward;
      return { kind: 'lost', message: `${at} has the parameters that this page was requested with, so they lead nowhere` };
    },
    move: (query, token) => withParam(query, nextMembers, token),
  };
}

/** What of a query is sent as parameters of their own, declared or not. */
export function membersOf(query: object): object | undefined {
  const value = ownValue(query, nextMembers);
  return typeof value === 'object' && value !== null ? value : undefined;
}
