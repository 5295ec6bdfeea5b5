import { ownValue } from '../../kit/ownValue.ts';
import { path } from '../../options/fieldKinds.ts';
import { oneOf } from '../../options/kinds.ts';
import { declareFields } from '../../options/OptionSet.ts';
import { alone, type Alone, aloneWith, beginWith, follow, withParam } from './follow.ts';
import type { PagingKind } from './PagingKind.ts';
import { singlePaging } from './singlePaging.ts';
import { hasContent } from './Token.ts';

/** The response contains an object. Each member of it is a parameter of the next request, declared or not. */
export interface MergePaging {
  readonly kind: 'merge';
  /** Where the object is: a dotted path in the whole body, not in the envelope's data. */
  readonly at: string;
  /** A later request has no other parameters than these members, those of the path, and these. */
  readonly alone?: Alone;
}

/** What holds the members in a query, so that a declared parameter can have the name of a member. */
const members = '...next';

const fields = declareFields<MergePaging>()({ kind: oneOf('merge').needed(), at: path().needed(), alone });

export const mergePaging: PagingKind<MergePaging> = {
  ...singlePaging,
  fields,
  operator: 'expandCursor',
  by: 'by parameters in the response',
  endsEmpty: false,
  leads: true,
  comesBack: true,
  text: ({ at }) => `each member of ${at} is a parameter of the next request`,
  takes: () => ['startCursor'],
  param: () => members,
  writes: () => [members],
  fromBody: ({ at }) => at,
  resumes: () => false,
  sendsOthers: () => true,
  sent: ({ alone }, query) => aloneWith(alone, Object.keys(membersOf(query) ?? {})),
  members: (_, query) => membersOf(query),
  begin: (_, query, { startCursor }) => beginWith(query, members, startCursor),
  onward({ at }, walked) {
    const { next } = walked.page;
    if (!hasContent(next)) return { kind: 'end' };
    const onward = follow(walked, members, next);
    if (onward.kind !== 'stays') return onward;
    return { kind: 'lost', message: `${at} has the parameters that this page was requested with, so they lead nowhere` };
  },
  move: (_, query, token) => withParam(query, members, token),
};

function membersOf(query: object): object | undefined {
  const value = ownValue(query, members);
  return typeof value === 'object' && value !== null ? value : undefined;
}
