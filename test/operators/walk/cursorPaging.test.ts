import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor } from '../../../operators/index.ts';
import { defineOperation } from '../../../src/contract/index.ts';
import { errorOf, outcome } from '../../client/testClient.ts';
import { cursorPaging, fakeFactory } from '../fakeFactory.ts';

describe('cursorPaging', () => {
  const flagged = { ...cursorPaging, more: 'meta.more' };
  const rows = [{ id: 1 }];

  it('fails if the data says that there are more pages, and has no token', async () => {
    const factory = fakeFactory(flagged, () => ({ rows, data: { meta: { more: true } } }));
    const error = await errorOf(of({ q: 'a' }).pipe(expandCursor(factory)));
    expect(error).toMatchObject({
      name: 'PaginationError',
      message: expect.stringContaining('meta.more says that there are more') as string,
    });
  });

  it.each([false, 0, 'false'])('ends where the data says %j, and asks nothing more', async (more) => {
    const factory = fakeFactory(flagged, () => ({
      rows: Array.from({ length: 10 }, (_, id) => ({ id })),
      data: { next: 'x', meta: { more } },
    }));
    expect((await outcome(of({ q: 'a' }).pipe(expandCursor(factory)))).values).toHaveLength(1);
    expect(factory.asked).toHaveLength(1);
  });

  it('follows the token where the flag is missing', async () => {
    const factory = fakeFactory(flagged, ({ cursor }) => ({ rows: [{ cursor }], data: cursor === undefined ? { next: 'x' } : {} }));
    expect((await outcome(of({ q: 'a' }).pipe(expandCursor(factory)))).values).toHaveLength(2);
  });

  it('begins with the first token, unless the query has one', async () => {
    const factory = fakeFactory({ ...cursorPaging, first: '*' }, ({ cursor }) => ({ rows: [{ cursor }] }));
    await outcome(of({ q: 'a' }, { q: 'a', cursor: 'm' }).pipe(expandCursor(factory)));
    expect(factory.asked.map(({ cursor }) => cursor)).toEqual(['*', 'm']);
  });

  it('names parameters that alone keeps and that there are', () => {
    const params = { limit: { type: 'string', about: 'rows' } } as const;
    const define = (alone: readonly string[]) => () =>
      defineOperation({
        name: 'things',
        about: 'Things.',
        get: '/things',
        params,
        response: { rows: ['object'], 'next?': 'string' },
        rows: 'rows',
        query: { token: '${cursor}' },
        next: 'next',
        alone,
      });
    expect(define(['limit'])).not.toThrow();
    expect(define(['limt'])).toThrow("alone[0] names 'limt', which is not one of its params; did you mean limit?");
  });
});
