import { describe, expect, it } from 'vitest';
import type { Paging, WalkOptions, WalkState } from '../../../operators/index.ts';
import { pagingKinds, kindOf } from '../../../operators/walk/paging/pagingKinds.ts';
import { type ClaimIs, type PageBrings, readPage } from '../../../operators/walk/readPage.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import { actionFor, stepWalk, walkTable, type WalkAction } from '../../../operators/walk/stepWalk.ts';
import { cursorPaging, page } from '../fakeFactory.ts';

const brings: readonly PageBrings[] = ['new', 'empty', 'same', 'other'];
const claims: readonly ClaimIs[] = ['none', 'open', 'met'];
const ways = ['on', 'end', 'lost'] as const;
const operation = { name: 'fake', paging: cursorPaging, claims: { at: 'total' } };
const rowsAt = (from: number, count = 3): object[] => Array.from({ length: count }, (_, row) => ({ value: from + row }));

/** What a walk does, in words: for a page that brings this, with this claim, that leads on, ends the walk, or can't be followed. */
const expected: { readonly [B in PageBrings]: { readonly [C in ClaimIs]: readonly [on: WalkAction, end: WalkAction, lost: WalkAction] } } =
  {
    new: { none: ['next', 'end', 'fail'], open: ['next', 'end', 'fail'], met: ['next', 'end', 'fail'] },
    empty: { none: ['idle', 'end', 'fail'], open: ['idle', 'end', 'fail'], met: ['idle', 'end', 'fail'] },
    same: { none: ['circle', 'circle', 'circle'], open: ['idle', 'end', 'fail'], met: ['end', 'end', 'end'] },
    other: { none: ['next', 'end', 'fail'], open: ['next', 'end', 'fail'], met: ['next', 'end', 'fail'] },
  };
const cells = brings.flatMap((bring) =>
  claims.flatMap((claim) => ways.map((way, at) => [bring, claim, way, expected[bring][claim][at]!] as const)),
);

/** A walk that has had a page of three rows, and asks for the next one; or for the same one again, for `other`. */
function stateBefore(bring: PageBrings, total: number | undefined): WalkState {
  const first = page(
    {},
    { rows: rowsAt(0), data: { next: bring === 'other' ? null : 'b', total: total ?? (bring === 'other' ? 99 : undefined) } },
  );
  const step = stepWalk(operation, startWalk(operation, {}), first);
  if (step.kind !== 'next') throw new Error('the first page ends the walk');
  return total === undefined ? { ...step.state, claimed: undefined } : step.state;
}

describe('walkTable', () => {
  it.each(cells)('a page that brings %s rows, claim %s, that leads %s: %s', (bring, claim, way, action) => {
    expect(actionFor({ brings: bring, claim, onward: { kind: way } as never })).toBe(action);
  });

  // A page isn't requested a second time once all rows are there.
  const reachable = cells.filter(([bring, claim]) => bring !== 'other' || claim !== 'met');

  it.each(reachable)('is reached by a walk: %s, claim %s, %s', (bring, claim, way, action) => {
    const total = claim === 'none' ? undefined : claim === 'open' ? 99 : 3;
    const next = way === 'on' ? 'c' : way === 'end' ? null : 7;
    const rows = bring === 'empty' ? [] : bring === 'same' ? rowsAt(0) : rowsAt(50);
    const read = readPage(operation, stateBefore(bring, total), page({}, { rows, data: { next, total } }), {});
    expect([read.brings, read.claim, read.onward.kind, actionFor(read)]).toEqual([bring, claim, way, action]);
  });

  it('has no line that nothing reaches', () => {
    const reached = cells.map(([bring, claim, way]) =>
      walkTable.findIndex(([b, c, w]) => [b, c, w].every((wanted, at) => wanted === 'any' || wanted === [bring, claim, way][at])),
    );
    expect(new Set(reached)).toEqual(new Set(walkTable.map((_, line) => line)));
  });
});

describe('pagingKinds', () => {
  const pagings: { readonly [Kind in Paging['kind']]: Extract<Paging, { readonly kind: Kind }> } = {
    none: { kind: 'none' },
    cursor: { kind: 'cursor', param: 'after', at: ['next'], previous: { param: 'before', at: ['prev'] } },
    offset: { kind: 'offset', param: 'page', step: 20, fixed: { all: true } },
  };

  it.each(Object.keys(pagingKinds) as Paging['kind'][])('%s: says which parameters it sets, and sets no other', (name) => {
    const paging: Paging = pagings[name];
    const kind = kindOf(paging);
    const options: WalkOptions = {};
    const { query } = kind.begin(paging, { q: 'x' }, options, 'fake');
    const moved = kind.move(paging, query, 20, options);
    const set = Object.keys(moved).filter(
      (param) => (moved as Record<string, unknown>)[param] !== (query as Record<string, unknown>)[param],
    );
    expect(kind.params(paging)).toEqual(expect.arrayContaining(set));
    expect(kind.param(paging, options)).toBe(kind.params(paging)[0] ?? '');
    expect(kind.text(paging) === '').toBe(kind.operator === undefined);
  });
});
