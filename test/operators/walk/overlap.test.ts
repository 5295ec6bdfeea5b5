import { describe, expect, it } from 'vitest';
import type { Paging, PageLike } from '../../../operators/index.ts';
import { startWalk } from '../../../operators/index.ts';
import { type Stepped, walkStep } from '../fakeFactory.ts';

interface Row {
  readonly id: string;
  readonly image?: string;
}
const rows = (...ids: readonly string[]): Row[] => ids.map((id) => ({ id }));

/** Walks over pages, each with what leads on from it. `facts`: what else is known of the operation. */
function walkOver(paging: Paging, facts: object, pages: readonly (readonly Row[])[], total: number): Stepped[] {
  const operation = { name: 'search', paging, ...facts };
  const steps: Stepped[] = [];
  let state = startWalk(operation, { q: 'x' });
  for (const [index, items] of pages.entries()) {
    const next = index + 1 < pages.length ? String(index + 1) : undefined;
    const page = { operation: 'search', query: state.query, data: { next, total }, items, next: next && { from: next } };
    const step = walkStep(operation, state, page as PageLike);
    steps.push(step);
    if (step.state === undefined) break;
    state = step.state as typeof state;
  }
  return steps;
}
const rowsOf = (steps: readonly Stepped[]): unknown[] => steps.flatMap((step) => step.rows);

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

  const numbered: Paging = { kind: 'offset', param: 'page', first: 1, step: 1, total: 'total' };

  it('bring each row once where a total ends the walk, which counts them once', () => {
    const pages = [rows('a', 'b', 'c'), rows('c', 'd', 'e'), rows('e', 'f'), []];
    const steps = walkOver(numbered, { id: 'id' }, pages, 6);
    expect(rowsOf(steps)).toEqual(rows('a', 'b', 'c', 'd', 'e', 'f'));
    expect(steps).toHaveLength(3);
    expect(steps.at(-1)).toMatchObject({ kind: 'end', reason: 'complete' });
  });

  it('bring the last rows, too, where a total would be reached with rows that came twice', () => {
    const pages = [rows('a', 'b', 'c'), rows('c', 'd', 'e'), rows('e', 'f', 'g'), rows('g', 'h'), []];
    expect(rowsOf(walkOver(numbered, { id: 'id' }, pages, 8))).toEqual(rows('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'));
  });

  it('go on where one of them has no new row', () => {
    const pages = [rows('a', 'b', 'c'), rows('b', 'c'), rows('d'), []];
    expect(rowsOf(walkOver(numbered, { id: 'id' }, pages, 4))).toEqual(rows('a', 'b', 'c', 'd'));
  });

  it('are told by where they begin, where that is counted in rows', () => {
    const offset: Paging = { kind: 'offset', param: 'from', step: 3, total: 'total' };
    const pages = [rows('a', 'b', 'c', 'd'), rows('d', 'e', 'f', 'g'), rows('g', 'h', 'i', 'j'), rows('j', 'k'), []];
    const steps = walkOver(offset, {}, pages, 10);
    expect(steps).toHaveLength(3); // the third page has rows 6 to 9
    expect(walkOver(offset, {}, pages, 11)).toHaveLength(4);
  });

  it('are as many from the middle of a walk', () => {
    const offset: Paging = { kind: 'offset', param: 'from', step: 3, total: 'total' };
    const operation = { name: 'search', paging: offset };
    const state = startWalk(operation, { q: 'x', from: 3 });
    const page = { operation: 'search', query: state.query, data: { total: 6 }, items: rows('d', 'e', 'f') };
    expect(walkStep(operation, state, page as PageLike)).toMatchObject({ kind: 'end' });
  });
});
