import { describe, expect, it } from 'vitest';
import type { Paging, PageLike, WalkStep } from '../../../operators/index.ts';
import { startWalk, stepWalk } from '../../../operators/index.ts';

interface Row {
  readonly id: string;
  readonly image?: string;
}
const rows = (...ids: readonly string[]): Row[] => ids.map((id) => ({ id }));

/** Walks over pages, each with what leads on from it. `facts`: what else is known of the operation. */
function walkOver(paging: Paging, facts: object, pages: readonly (readonly Row[])[], total: number): WalkStep[] {
  const operation = { name: 'search', paging, ...facts };
  const steps: WalkStep[] = [];
  let state = startWalk(operation, { q: 'x' });
  for (const [index, items] of pages.entries()) {
    const next = index + 1 < pages.length ? String(index + 1) : undefined;
    const page = { operation: 'search', query: state.query, data: { next, total }, items, next: next && { from: next } };
    const step = stepWalk(operation, state, page as PageLike);
    steps.push(step);
    if (step.kind !== 'next') break;
    state = step.state as typeof state;
  }
  return steps;
}
const rowsOf = (steps: readonly WalkStep[]): unknown[] => steps.flatMap((step) => step.rows);

describe('pages of a walk that overlap', () => {
  const cursor: Paging = { kind: 'cursor', param: 'after', at: ['next'] };
  const merge: Paging = { kind: 'merge', at: 'continue' };
  const claims = { claims: { at: 'total' } };

  it.each([
    ['ids', { ...claims, id: 'id' }],
    ['no ids', claims],
  ])('bring each row once where their number is claimed, and are counted once (%s)', (_, facts) => {
    const steps = walkOver(cursor, facts, [rows('a', 'b', 'c'), rows('c', 'd', 'e'), rows('e', 'f')], 6);
    expect(rowsOf(steps)).toEqual(rows('a', 'b', 'c', 'd', 'e', 'f'));
    expect(steps.at(-1)).toMatchObject({ kind: 'end', reason: 'complete', short: undefined, got: 6 });
  });

  it('may bring a row again with more in it, which is emitted and counted once', () => {
    const fuller = { id: 'a', image: 'a.png' };
    const pages = [rows('a', 'b'), [fuller, ...rows('b')], rows('c', 'd')];
    const steps = walkOver(merge, { ...claims, id: 'id' }, pages, 4);
    expect(rowsOf(steps)).toEqual([...rows('a', 'b'), fuller, ...rows('c', 'd')]);
    expect(steps.at(-1)).toMatchObject({ kind: 'end', reason: 'complete', short: undefined, got: 4 });
  });

  it("end the walk when they bring nothing else, even if they aren't quite the same", () => {
    const pages = [rows('a', 'b', 'c'), rows('b', 'c'), rows('b', 'c'), rows('c'), rows('c'), rows('c')];
    const steps = walkOver(cursor, { ...claims, id: 'id' }, pages, 9);
    expect(rowsOf(steps)).toEqual(rows('a', 'b', 'c'));
    expect(steps.at(-1)).toMatchObject({ kind: 'error', claimed: 9 });
  });
});
