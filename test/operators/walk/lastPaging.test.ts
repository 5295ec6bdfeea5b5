import { describe, expect, it } from 'vitest';
import type { LastPaging } from '../../../operators/index.ts';
import { LazyRow } from '../../../operators/LazyRow.ts';
import { walkOver } from '../fakeFactory.ts';

const paging: LastPaging = { kind: 'last', param: 'after', from: 'id' };
const flagged: LastPaging = { ...paging, more: 'more' };
const rows = (...ids: unknown[]): object[] => ids.map((id) => ({ id, at: { rank: id } }));
const hasMore = (more: boolean, ...ids: unknown[]) => ({ rows: rows(...ids), data: { more } });

/** A row that stays bytes. */
class Bytes extends LazyRow {
  readonly bytes: Buffer;
  constructor(row: object) {
    super();
    this.bytes = Buffer.from(JSON.stringify(row));
  }
}

describe('lastPaging', () => {
  it.each([
    ['a field', 'id', 7, 7],
    ['a field that is 0', 'id', 0, 0],
    ['a nested field', 'at.rank', 7, 7],
    ['a list', 'id', [7, 'x'], [7, 'x']],
    ['several fields', ['at.rank', 'id'], 7, [7, 7]],
  ] as const)('goes on from %s of the last row, also if it stays bytes', (_, from, id, after) => {
    for (const page of [rows(1, id), rows(1, id).map((row) => new Bytes(row))])
      expect(walkOver({ ...paging, from }, [{ rows: page }])).toMatchObject([{ kind: 'next', state: { query: { after } } }]);
  });

  it('ends with an empty page, or where there are no more', () => {
    expect(walkOver(paging, [{ rows: rows(1) }, { rows: [] }]).map(({ kind }) => kind)).toEqual(['next', 'end']);
    expect(walkOver(flagged, [hasMore(true, 1), hasMore(false, 2)]).map(({ kind }) => kind)).toEqual(['next', 'end']);
  });

  it.each([
    ['the last row has no token', [hasMore(true, null)], 'the last row has no id'],
    ['a page that has more has no row', [hasMore(true, 1), hasMore(true), hasMore(true)], 'has no row to go on from'],
    ['its parameter has no effect', [hasMore(true, 1, 2), hasMore(true, 1, 2)], 'brings the rows of one before'],
    ['a page ends where it was to begin', [hasMore(true, 1, 2), hasMore(true, 5, 2)], 'after has no effect'],
    ['a row leads back', [hasMore(true, 1), hasMore(true, 2), hasMore(true, 3), hasMore(true, 4, 1)], 'was used before'],
    ['a page has no list', [hasMore(true, 1), { rows: undefined }], 'has no list'],
  ])('fails where %s, so that no row is lost unseen', (_, pages, message) => {
    const steps = walkOver(flagged, pages);
    expect(steps.at(-1)).toMatchObject({ kind: 'error', fault: { message: expect.stringContaining(message) } });
  });
});
