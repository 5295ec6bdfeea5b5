import { describe, expect, it } from 'vitest';
import type { Paging, WalkOptions, WalkState } from '../../../operators/index.ts';
import { pagingKinds, kindOf } from '../../../operators/walk/paging/pagingKinds.ts';
import { type ClaimIs, type PageBrings, readPage } from '../../../operators/walk/readPage.ts';
import { startWalk } from '../../../operators/walk/Walk.ts';
import { type PageSays, firstFit, pageTable, walkTable, type WalkAction, type WalkStop } from '../../../operators/walk/stepWalk.ts';
import { pagingRequestOf } from '../../../src/contract/index.ts';
import { pagingText } from '../../../src/contract/describeOperation.ts';
import { cursorPaging, page, walkStep } from '../fakeFactory.ts';

const brings: readonly PageBrings[] = ['new', 'empty', 'same', 'past', 'other'];
const claims: readonly ClaimIs[] = ['none', 'open', 'met', 'over'];
const ways = ['on', 'stays', 'end', 'lost'] as const;
/** A page that leads back to itself is an error where that isn't declared. */
const operationOf = (way?: string) => ({
  name: 'fake',
  paging: way === 'stays' ? { ...cursorPaging, repeats: true as const } : cursorPaging,
  claims: { at: 'total' },
});
const rowsAt = (from: number, count = 3): object[] => Array.from({ length: count }, (_, row) => ({ value: from + row }));

/**
 * What a page says of its walk: one that brings this, with this claim, that leads on, back to
 * itself, ends the walk, or can't be followed.
 */
const end4 = ['end', 'end', 'end', 'end'] as const;
type InEachWay = readonly [on: PageSays, stays: PageSays, end: PageSays, lost: PageSays];
const goesOn: InEachWay = ['next', 'next', 'end', 'lost'];
const idles: InEachWay = ['idle', 'end', 'end', 'lost'];
const expected: { readonly [B in PageBrings]: { readonly [C in ClaimIs]: InEachWay } } = {
  new: { none: goesOn, open: goesOn, met: goesOn, over: end4 },
  empty: { none: idles, open: idles, met: idles, over: end4 },
  same: { none: ['circle', 'end', 'circle', 'circle'], open: idles, met: end4, over: end4 },
  past: { none: end4, open: end4, met: end4, over: end4 },
  other: { none: goesOn, open: goesOn, met: goesOn, over: end4 },
};
const cells = brings.flatMap((bring) =>
  claims.flatMap((claim) => ways.map((way, at) => [bring, claim, way, expected[bring][claim][at]!] as const)),
);

/** A walk that has had a page of three rows, and requests the next one; or that one for the second time, for `other`. */
function stateBefore(bring: PageBrings, operation: ReturnType<typeof operationOf>): WalkState {
  const first = { rows: rowsAt(0), data: { next: 'b' } };
  const second = { rows: rowsAt(10), data: { next: null, total: 99 } };
  let state: WalkState = startWalk(operation, {});
  for (const response of bring === 'other' ? [first, second] : [first]) {
    const step = walkStep(operation, state, page({}, response));
    if (step.state === undefined) throw new Error('a page ends the walk');
    state = { ...step.state, claimed: undefined };
  }
  return state;
}

describe('pageTable', () => {
  it.each(cells)('a page that brings %s rows, claim %s, that leads %s: %s', (bring, claim, way, says) => {
    expect(firstFit(pageTable, bring, claim, way)).toBe(says);
  });

  // A page isn't requested a second time once all rows are there, nor where the service counts the requests.
  const isReached = (claim: ClaimIs, way: string): boolean => (claim === 'none' || claim === 'open') && way !== 'stays';
  const reachable = cells.filter(([bring, claim, way]) => bring !== 'past' && (bring !== 'other' || isReached(claim, way)));

  it.each(reachable)('is reached by a walk: %s, claim %s, %s', (bring, claim, way, says) => {
    const rows = bring === 'empty' ? [] : bring === 'same' ? rowsAt(0) : rowsAt(50);
    const all = 3 + (bring === 'new' ? 3 : 0);
    const total = { none: undefined, open: 99, met: undefined, over: all }[claim];
    const operation = operationOf(way);
    const state = stateBefore(bring, operation);
    const next = { on: 'c', stays: 'b', end: null, lost: true }[way];
    const read = readPage(operation, state, page({}, { rows, data: { next, total } }), claim === 'met' ? { claimed: all } : {});
    expect([read.brings, read.claim, read.onward.kind, firstFit(pageTable, read.brings, read.claim, read.onward.kind)]).toEqual([
      bring,
      claim,
      way,
      says,
    ]);
  });

  it.each([
    ['a short one', 2, ['past', 'end']],
    ['a full one', 3, ['same', 'circle']],
  ] as const)('takes the first page, come again after %s, for what lies beyond the last', (_, count, expected) => {
    const operation = { name: 'fake', paging: { kind: 'offset', param: 'page', step: 1 } } as const;
    let state: WalkState = startWalk(operation, {});
    for (const rows of [rowsAt(0), rowsAt(10, count)]) state = walkStep(operation, state, page({}, { rows, data: {} })).state!;
    const read = readPage(operation, state, page({}, { rows: rowsAt(0), data: {} }), {});
    expect([read.brings, firstFit(pageTable, read.brings, read.claim, read.onward.kind)]).toEqual(expected);
  });

  it('has no line that nothing reaches', () => {
    const reached = cells.map(([bring, claim, way]) =>
      pageTable.findIndex(([b, c, w]) => [b, c, w].every((wanted, at) => wanted === 'any' || wanted === [bring, claim, way][at])),
    );
    expect(new Set(reached)).toEqual(new Set(pageTable.map((_, line) => line)));
  });
});

describe('walkTable', () => {
  type Stops = { readonly [Stop in WalkStop]: readonly [sure: WalkAction, doubted: WalkAction] };
  const stopped: Omit<Stops, 'none' | 'worn'> = { found: ['found', 'found'], limit: ['capped', 'capped'], cutOff: ['capped', 'capped'] };
  const actions: { readonly [Says in PageSays]: Stops } = {
    next: { ...stopped, none: ['next', 'next'], worn: ['fail', 'fail'] },
    idle: { ...stopped, none: ['next', 'recheck'], worn: ['fail', 'recheck'] },
    end: { ...stopped, limit: ['end', 'end'], none: ['end', 'recheck'], worn: ['end', 'recheck'] },
    circle: { ...stopped, limit: ['fail', 'fail'], none: ['fail', 'fail'], worn: ['fail', 'fail'] },
    lost: { ...stopped, none: ['fail', 'fail'], worn: ['fail', 'fail'] },
  };
  const steps = (Object.keys(actions) as PageSays[]).flatMap((says) =>
    (Object.keys(actions[says]) as WalkStop[]).flatMap((stop) =>
      [false, true].map((isDoubted, at) => [says, stop, isDoubted, actions[says][stop][at]!] as const),
    ),
  );

  it.each(steps)('a page that says %s, where %s stops the walk, doubted: %s, leads to: %s', (says, stop, isDoubted, action) => {
    expect(firstFit(walkTable, says, stop, isDoubted ? 'doubted' : 'any')).toBe(action);
  });

  it('has no line that nothing reaches', () => {
    const reached = steps.map(([says, stop, isDoubted]) =>
      walkTable.findIndex((line) => [says, stop, isDoubted ? 'doubted' : 'any'].every((fact, at) => [fact, 'any'].includes(line[at]!))),
    );
    expect(new Set(reached)).toEqual(new Set(walkTable.map((_, line) => line)));
  });
});

describe('pagingKinds', () => {
  const pagings: { readonly [Kind in Paging['kind']]: Extract<Paging, { readonly kind: Kind }> } = {
    none: { kind: 'none' },
    cursor: { kind: 'cursor', param: 'after', at: ['next'] },
    last: { kind: 'last', param: 'after', from: ['rank', 'id'] },
    merge: { kind: 'merge', at: 'continue' },
    offset: { kind: 'offset', param: 'page', step: 20, fixed: { all: true } },
  };

  it.each(Object.keys(pagingKinds) as Paging['kind'][])('%s: says which parameters it sets, and sets no other', (name) => {
    const paging: Paging = pagings[name];
    const kind = kindOf(paging);
    const request = pagingRequestOf(paging);
    const options: WalkOptions = {};
    const { query } = kind.begin({ q: 'x' }, options, 'fake');
    const moved = kind.move(query, 20, options);
    const set = Object.keys(moved).filter(
      (param) => (moved as Record<string, unknown>)[param] !== (query as Record<string, unknown>)[param],
    );
    const written = [...request.params, ...request.writes];
    expect(written).toEqual(expect.arrayContaining(set));
    expect(kind.param(options)).toBe(written[0] ?? '');
    expect(pagingText(paging) === '').toBe(kind.operator === undefined);
  });
});
