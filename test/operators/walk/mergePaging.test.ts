import { describe, expect, it } from 'vitest';
import { type MergePaging, type PageLike, startWalk } from '../../../operators/index.ts';
import { type Stepped, walkStep } from '../fakeFactory.ts';

const paging: MergePaging = { kind: 'merge', at: 'continue' };
const operation = { name: 'wiki', paging };

/** The steps of a walk over pages, each with what leads on from it. */
function walkOver(...pages: readonly (readonly [rows: readonly object[], next?: object])[]): Stepped[] {
  const steps: Stepped[] = [];
  let state = startWalk(operation, { q: 'x' });
  for (const [items, next] of pages) {
    const step = walkStep(operation, state, { operation: 'wiki', query: state.query, data: {}, items, next } as PageLike);
    steps.push(step);
    if (step.state === undefined) break;
    state = step.state as typeof state;
  }
  return steps;
}
const rowsOf = (steps: readonly Stepped[]): unknown[] => steps.flatMap((step) => step.rows);

describe('mergePaging', () => {
  const [one, two] = [{ id: 1 }, { id: 2 }];
  const more = { id: 1, image: 'a.png' };

  it('goes on with the members of the last page only, and ends without them', () => {
    const steps = walkOver([[one], { from: 'b', continue: '-' }], [[two], { to: 'c' }], [[], {}]);
    expect(steps.map((step) => (step.kind === 'next' ? step.state?.query : step.kind))).toEqual([
      { q: 'x', '...next': { from: 'b', continue: '-' } },
      { q: 'x', '...next': { to: 'c' } },
      'end',
    ]);
  });

  it('takes rows that come back with more in them for new ones', () => {
    const steps = walkOver([[one], { images: 'a' }], [[more], { from: 'b' }], [[two]]);
    expect(rowsOf(steps)).toEqual([one, more, two]);
    expect(steps.at(-1)!.kind).toBe('end');
  });

  it('passes on no row twice that comes back as it was, and goes on', () => {
    const steps = walkOver([[one], { images: 'a' }], [[one], { from: 'b' }], [[two]]);
    expect(rowsOf(steps)).toEqual([one, two]);
    expect(steps.at(-1)!.kind).toBe('end');
  });

  it('says how many rows without an id it leaves out as those of a page before, though they may be others', () => {
    const alike = (steps: readonly Stepped[]): unknown[] =>
      steps.flatMap(({ notices }) =>
        notices.flatMap((notice) => (notice.type === 'thinPage' && notice.droppedAsRepeats !== undefined ? [notice.droppedAsRepeats] : [])),
      );
    expect(alike(walkOver([[one, one], { from: 'b' }], [[one, one], { from: 'c' }], [[two]]))).toEqual([2]);
    expect(alike(walkOver([[one, one], { from: 'b' }], [[two]]))).toEqual([]);
    expect(alike(walkOver([[one, one], { from: 'b' }], [[one, one]]))).toEqual([2]);
  });

  it('fails where the members are those of the page itself', () => {
    const steps = walkOver([[one], { from: 'b' }], [[two], { from: 'b' }]);
    expect(steps.at(-1)).toMatchObject({ kind: 'error', fault: { message: expect.stringContaining('lead nowhere') } });
  });
});
