import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkWalkOptions,
  startWalk,
  type CursorPaging,
  type OffsetPaging,
  type Paging,
  type WalkEvent,
  type WalkedOperation,
  type WalkOptions,
  type WalkState,
  type WalkStep,
} from '../../operators/index.ts';
import { cursorPaging, offsetPaging, page, walkOver, walkStep, type Stepped } from './fakeFactory.ts';

const rows = (...values: number[]): { rows: object[] } => ({ rows: values.map((value) => ({ value })) });
const withToken = (next: unknown, ...values: number[]): { rows: object[]; data: object } => ({ ...rows(...values), data: { next } });
const last = <T>(list: readonly T[]): T => list.at(-1)!;
const rowsOf = (steps: readonly WalkStep[]): number[] =>
  steps.flatMap((step) => step.rows.map((row) => (row as { readonly value: number }).value));

describe('startWalk', () => {
  it('begins with the query as it is', () => {
    const query = { q: 'x' };
    expect(startWalk({ name: 'fake', paging: cursorPaging }, query).query).toBe(query);
  });

  it('begins at the token that the query carries, and knows it as seen', () => {
    const state = startWalk({ name: 'fake', paging: cursorPaging }, { cursor: 't' });
    expect([...(state.seen ?? [])]).toEqual(['t']);
  });

  it('begins at startCursor rather than at the query’s own', () => {
    expect(startWalk({ name: 'fake', paging: cursorPaging }, { cursor: 't' }, { startCursor: 'u' }).query).toEqual({ cursor: 'u' });
  });

  it('begins at startPage in the steps of the operation', () => {
    expect(startWalk({ name: 'fake', paging: { ...offsetPaging, step: 20 } }, {}, { startPage: 2 }).query).toEqual({ page: 40 });
  });

  it('sends the fixed parameters with every page', () => {
    expect(startWalk({ name: 'fake', paging: { ...offsetPaging, fixed: { stores: true } } }, { id: 1 }).query).toEqual({
      id: 1,
      stores: true,
    });
  });

  it('refuses an offset it cannot count from', () => {
    expect(() => startWalk({ name: 'fake', paging: offsetPaging }, { page: 'two' })).toThrow(RangeError);
  });
});

describe('stepWalk', () => {
  it('goes on with the token and ends where there is none', () => {
    const steps = walkOver(cursorPaging, [withToken('b', 1), withToken('c', 2), rows(3)]);
    expect(steps.map(({ kind }) => kind)).toEqual(['next', 'next', 'end']);
    expect(last(steps)).toMatchObject({ reason: 'complete', notices: [] });
  });

  it.each([
    ['null', null],
    ['an empty text', ''],
    ['a text of blanks', ' \n'],
    ['nothing', undefined],
  ])('takes %s for the end', (_, token) => {
    expect(walkOver(cursorPaging, [withToken(token, 1)])).toMatchObject([{ kind: 'end', reason: 'complete' }]);
  });

  it('takes the first place that holds a token', () => {
    const steps = walkOver({ ...cursorPaging, at: ['next', 'pagination.next'] }, [
      { ...rows(1), data: { next: '  ', pagination: { next: 'b' } } },
    ]);
    expect(steps).toMatchObject([{ kind: 'next', state: { query: { cursor: 'b' } } }]);
  });

  const taking = (type: string) => ({ params: { cursor: { type } } });

  it.each([
    ['a list', ['t'], 'array'],
    ['an object', { t: 1 }, 'object'],
    ['an empty object', {}, 'object'],
    ['true', true, 'boolean'],
  ])('fails on a token that is %s, where the parameter takes texts', (_, token, type) => {
    const [step] = walkOver(cursorPaging, [withToken(token, 1)], {}, taking('string'));
    expect(step).toMatchObject({
      kind: 'error',
      deliver: true,
      fault: { message: expect.stringContaining(type) },
    });
  });

  it.each([
    ['a number', 7, 'integer', 7],
    ['a number, as text', 7, 'string', '7'],
    ['a text, as a number', '7', 'integer', 7],
    ['a list', [7, 't'], 'array', [7, 't']],
    ['an object', { after: 't' }, 'object', { after: 't' }],
  ])('follows a token that is %s, where the parameter takes it', (_, token, type, cursor) => {
    const steps = walkOver(cursorPaging, [withToken(token, 1), rows(2)], {}, taking(type));
    expect(steps).toMatchObject([{ kind: 'next', state: { query: { cursor } }, notices: [] }, { kind: 'end' }]);
  });

  it('ends with an empty list or object, where the parameter takes one, with false and with 0', () => {
    for (const [token, type] of [
      [[], 'array'],
      [{}, 'object'],
      [false, 'string'],
      [0, 'integer'],
    ] as const)
      expect(walkOver(cursorPaging, [withToken(token, 1)], {}, taking(type))).toMatchObject([{ kind: 'end', reason: 'complete' }]);
  });

  describe('with a token that stays the same', () => {
    it.each([2, 1])('fails with the rows of that page, and says what to declare, if they are new: %i', (second) => {
      const steps = walkOver(cursorPaging, [withToken('b', 1), withToken('b', second)]);
      expect(rowsOf(steps)).toEqual(second === 2 ? [1, 2] : [1]);
      const said = second === 2 ? 'say repeats: true' : 'the rows of one before it again';
      expect(last(steps)).toMatchObject({ kind: 'error', fault: { message: expect.stringContaining(said) as string, lastCursor: 'b' } });
    });

    it('ends with an empty page', () => {
      expect(last(walkOver(cursorPaging, [withToken('b', 1), withToken('b')]))).toMatchObject({ kind: 'end', reason: 'complete' });
    });

    it('goes on where that is declared, and numbers the pages', () => {
      const steps = walkOver({ ...cursorPaging, repeats: true }, [withToken('b', 1), withToken('c', 2), withToken('b', 3), withToken('b')]);
      expect(rowsOf(steps)).toEqual([1, 2, 3]);
      expect(steps.flatMap(({ notices }) => notices)).toEqual([]);
      expect(steps.map((step) => step.kind === 'next' && step.state?.query)).toEqual([
        { cursor: 'b', '#': 1 },
        { cursor: 'c', '#': 2 },
        { cursor: 'b', '#': 3 },
        false,
      ]);
    });

    it('fails where a page that repeats says that there are more', () => {
      const more = (...values: number[]): { rows: object[]; data: object } => ({ ...rows(...values), data: { next: 'b', more: true } });
      const steps = walkOver({ ...cursorPaging, more: 'more', repeats: true }, [more(1), more(2), more(2)]);
      expect(last(steps)).toMatchObject({ kind: 'error', deliver: false });
    });
  });

  it('fails on a ring of tokens', () => {
    const steps = walkOver(cursorPaging, [withToken('b', 1), withToken('c', 2), withToken('d', 3), withToken('b', 4)]);
    expect(steps).toHaveLength(4);
    expect(last(steps)).toMatchObject({ kind: 'error', fault: { lastCursor: 'd' } });
  });

  it('takes pages for different ones that share their first row and the first fields of the others', () => {
    const pinned = { rank: 1, title: 'pinned' };
    const ofTitles = (next: string | null, ...titles: string[]): { rows: object[]; data: object } => ({
      rows: [pinned, ...titles.map((title, index) => ({ rank: index + 2, kind: 'result', title }))],
      data: { next },
    });
    const steps = walkOver(cursorPaging, [ofTitles('b', 'one', 'two'), ofTitles(null, 'six', 'ten')]);
    expect(steps.map(({ kind }) => kind)).toEqual(['next', 'end']);
  });

  it('takes pages for different ones whose rows differ in the last of many fields only, and so with rows', () => {
    const station = Object.fromEntries(Array.from({ length: 30 }, (_, field) => [`field${field}`, 'as in all rows']));
    const readings = (next: string | null, from: number): { rows: object[]; data: object } => ({
      rows: Array.from({ length: 10 }, (_, row) => ({ ...station, value: from + row })),
      data: { next },
    });
    const steps = walkOver(cursorPaging, [readings('b', 0), readings(null, 10), readings('c', 15)]);
    expect(steps.map(({ kind, rows }) => [kind, rows.length])).toEqual([
      ['next', 10],
      ['next', 10], // it is full, so it is requested a second time
      ['next', 5], // of which five rows are new
    ]);
  });

  it('knows the rows of a page that is requested a second time, in whatever order their fields are', () => {
    const one = (next: string | null, row: object): { rows: object[]; data: object } => ({
      rows: Array.from({ length: 10 }, (_, id) => ({ id, ...row })),
      data: { next },
    });
    const other = { rows: Array.from({ length: 10 }, (_, id) => ({ z: [{ b: 1, a: 2 }], id })), data: { next: null } };
    const steps = walkOver(cursorPaging, [one(null, { z: [{ a: 2, b: 1 }] }), other], {}, { recheck: 'always' });
    expect(steps.map(({ kind, rows }) => [kind, rows.length])).toEqual([
      ['next', 10],
      ['end', 0],
    ]);
  });

  it('fails on a page that brings the rows of the page before again, which is not to be delivered', () => {
    const steps = walkOver(cursorPaging, [withToken('b', 1, 2), withToken('c', 1, 2)]);
    expect(last(steps)).toMatchObject({ kind: 'error', deliver: false, fault: { lastCursor: 'b' } });
  });

  it('ends where a service starts over beyond its last page, and fails if that was a full one, before a row comes twice', () => {
    const short = walkOver(offsetPaging, [rows(1, 2), rows(3, 4), rows(5, 6), rows(7), rows(1, 2)]);
    expect(last(short)).toMatchObject({ kind: 'end', reason: 'complete' });
    expect(rowsOf(short)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const full = walkOver(offsetPaging, [rows(1, 2), rows(3, 4), rows(5, 6), rows(1, 2)]);
    expect(last(full)).toMatchObject({ kind: 'error', deliver: false });
    expect(rowsOf(full)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('tells rows apart deeply', () => {
    const nested = (n: number, next: string): { rows: object[]; data: object } => ({ rows: [{ a: [{ b: n }], c: null }], data: { next } });
    expect(last(walkOver(cursorPaging, [nested(1, 'b'), nested(2, 'c')]))).toMatchObject({ kind: 'next' });
    expect(last(walkOver(cursorPaging, [nested(1, 'b'), nested(1, 'c')]))).toMatchObject({ kind: 'error' });
  });

  it('goes on over empty pages that have a token, and fails on the third in a row', () => {
    const steps = walkOver(cursorPaging, [
      withToken('b'),
      withToken('c'),
      withToken('d', 1),
      withToken('e'),
      withToken('f'),
      withToken('g'),
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual(['next', 'next', 'next', 'next', 'next', 'error']);
    expect(last(steps)).toMatchObject({ deliver: false, fault: { message: expect.stringContaining('3 empty pages') } });
  });

  it.each<Paging>([
    { kind: 'none' },
    cursorPaging,
    offsetPaging,
    { ...offsetPaging, step: 'received' },
    { kind: 'last', param: 'after', from: 'n' },
    { kind: 'merge', at: 'next' },
  ])('takes a page without its list for no page: %j', (paging) => {
    const noPage = { kind: 'error', deliver: false, rows: [], fault: { message: expect.stringContaining('no list') as string } };
    for (const options of [{}, { maxPages: 1 }, { maxPages: 5 }])
      expect(walkOver(paging, [{ rows: undefined }], options)).toMatchObject([noPage]);
  });

  it.each<Paging>([cursorPaging, offsetPaging, { ...offsetPaging, step: 'received' }, { kind: 'last', param: 'after', from: 'n' }])(
    'takes a later page without its list for no page: %j',
    (paging) => {
      const walk = walkOver(paging, [{ rows: [{ n: 1 }], data: { next: 'b' } }, { rows: undefined }]);
      expect(walk).toMatchObject([{ kind: 'next' }, { kind: 'error', deliver: false, rows: [] }]);
    },
  );

  it('reports that a limit cut it short, and where it would continue', () => {
    const responses = [withToken('b', 1, 2), withToken('c', 3, 4), rows(5)];
    const capped = (limit: string, pages: number, nextCursor: string): object => ({
      kind: 'end',
      reason: 'capped',
      event: { type: 'capped', limit, pages, items: pages * 2, nextCursor },
    });
    expect(last(walkOver(cursorPaging, responses, { maxPages: 2 }))).toMatchObject(capped('maxPages', 2, 'c'));
    expect(last(walkOver(cursorPaging, responses, { maxItems: 1 }))).toMatchObject(capped('maxItems', 1, 'b'));
    expect(last(walkOver(cursorPaging, responses, { maxPages: 3, maxItems: 5 }))).toMatchObject({ reason: 'complete' });
  });

  it('looks for the token where it is told to', () => {
    const response = { ...rows(1), data: { deep: { token: 'b' } } };
    expect(walkOver(cursorPaging, [response], { cursorAt: 'deep.token' })).toMatchObject([{ state: { query: { cursor: 'b' } } }]);
    const read = (): string => 'z';
    expect(walkOver(cursorPaging, [response], { cursorAt: read })).toMatchObject([{ state: { query: { cursor: 'z' } } }]);
  });

  it('counts pages in steps, or the rows received', () => {
    expect(walkOver({ ...offsetPaging, step: 20 }, [rows(1, 2)])).toMatchObject([{ state: { query: { page: 20 } } }]);
    const received: OffsetPaging = { ...offsetPaging, step: 'received' };
    expect(last(walkOver(received, [rows(1, 2), rows(3)]))).toMatchObject({ state: { query: { page: 3 } } });
  });

  it('ends a count with an empty page, the last page number, no more pages, or all rows there are', () => {
    expect(walkOver(offsetPaging, [rows()])).toMatchObject([{ kind: 'end', reason: 'complete' }]);
    const more = (value: unknown): object => ({ ...rows(1), data: { has_more: value } });
    expect(walkOver({ ...offsetPaging, more: 'has_more' }, [more(false) as never])).toMatchObject([{ kind: 'end' }]);
    expect(walkOver({ ...offsetPaging, more: 'has_more' }, [more(true) as never])).toMatchObject([{ kind: 'next' }]);
    const total = (...numbers: number[]): object => ({ ...rows(...numbers), data: { total: 3 } });
    expect(walkOver({ ...offsetPaging, total: 'total' }, [total(1, 2) as never, total(3) as never])).toMatchObject([
      { kind: 'next' },
      { kind: 'end' },
    ]);
    const numbered: OffsetPaging = { ...offsetPaging, numbers: { at: 'p.no', current: 'p.now' } };
    const numbers = (now: unknown, no: unknown): object => ({ ...rows(1), data: { p: { now, no } } });
    expect(walkOver(numbered, [numbers(3, { 1: '', 2: '', 3: '' }) as never])).toMatchObject([{ kind: 'end' }]);
    expect(walkOver(numbered, [numbers(3, { 4: '' }) as never])).toMatchObject([{ kind: 'next' }]);
    expect(walkOver(numbered, [numbers(undefined, {}) as never])).toMatchObject([{ kind: 'next' }]);
  });

  describe('with a claim of how many rows there are', () => {
    const claims = { claims: { at: 'total', unless: ['topic'] } };
    const claim = (total: number, next: unknown, ...values: number[]): { rows: object[]; data: object } => ({
      ...rows(...values),
      data: { next, total },
    });
    it('ends without a further request when the claim is met', () => {
      const steps = walkOver(cursorPaging, [claim(3, 'b', 1, 2), claim(3, null, 3)], {}, claims);
      expect(steps.at(-1)).toMatchObject({ kind: 'end', reason: 'complete' });
      expect(last(steps)).not.toHaveProperty('short.got');
    });

    it('requests the last page again when its token is lost, and passes no row on twice', () => {
      const steps = walkOver(cursorPaging, [claim(4, 'b', 1, 2), claim(4, null, 3), claim(4, 'c', 3), claim(4, null, 4)], {}, claims);
      expect(steps.map(({ kind }) => kind)).toEqual(['next', 'next', 'next', 'end']);
      expect(rowsOf(steps)).toEqual([1, 2, 3, 4]);
      expect(steps.map((step) => step.kind === 'next' && step.state?.query)).toEqual([
        { cursor: 'b' },
        { cursor: 'b' },
        { cursor: 'c' },
        false,
      ]);
      expect(steps.map((step) => step.kind === 'next' && step.state?.pages)).toEqual([1, 2, 2, false]);
    });

    it('passes no row on twice when the page before comes instead of the last one again', () => {
      const steps = walkOver(cursorPaging, [claim(5, 'b', 1, 2), claim(5, null, 3, 4), claim(5, 'b', 1, 2)], {}, claims);
      expect(rowsOf(steps)).toEqual([1, 2, 3, 4]);
      expect(last(steps)).toMatchObject({ kind: 'error', deliver: false });
    });

    it('requests an empty page again, and a page that was cut', () => {
      expect(rowsOf(walkOver(offsetPaging, [claim(3, null, 1), claim(3, null), claim(3, null, 2, 3), rows()], {}, claims))).toEqual([
        1, 2, 3,
      ]);
      expect(rowsOf(walkOver(cursorPaging, [claim(3, null, 1), claim(3, null, 1, 2, 3)], {}, claims))).toEqual([1, 2, 3]);
    });

    it('requests an empty page in the middle again, once a walk, and follows its token', () => {
      const healed = [claim(3, 'b', 1), claim(3, 'c'), claim(3, 'c', 2), claim(3, null, 3)];
      expect(rowsOf(walkOver(cursorPaging, healed, {}, claims))).toEqual([1, 2, 3]);
      const end = claim(9, null, 2);
      const empty = walkOver(cursorPaging, [claim(9, 'b', 1), claim(9, 'c'), claim(9, 'c'), claim(9, 'd'), end, end], {}, claims);
      expect(empty.map((step) => step.kind === 'next' && step.state?.query)).toEqual([
        { cursor: 'b' },
        { cursor: 'b' },
        { cursor: 'c' },
        { cursor: 'd' },
        { cursor: 'd' }, // the end is requested again too
        false,
      ]);
      expect(last(empty)).toMatchObject({ kind: 'end', short: { got: 2, claimed: 9 } });
    });

    it('requests a page that repeats the one before again, follows its token, and fails on the third', () => {
      const healed = [claim(3, 'b', 1), claim(3, 'c', 1), claim(3, 'c', 2), claim(3, null, 3)];
      expect(rowsOf(walkOver(cursorPaging, healed, {}, claims))).toEqual([1, 2, 3]);
      const one = [claim(3, 'b', 1), claim(3, 'c', 1), claim(3, 'c', 1), claim(3, null, 3)];
      expect(rowsOf(walkOver(cursorPaging, one, {}, claims))).toEqual([1, 3]);
      const all = ['b', 'c', 'c', 'd', 'e', 'f'].map((next) => claim(3, next, 1));
      const steps = walkOver(cursorPaging, all, {}, claims);
      expect(steps.map(({ kind, rows }) => [kind, rows.length])).toEqual([
        ['next', 1],
        ['next', 0],
        ['next', 0],
        ['next', 0],
        ['error', 0],
      ]);
      expect(last(steps)).toMatchObject({ deliver: false, claimed: 3, fault: { lastCursor: 'd' } });
    });

    it('ends at a page that repeats the one before once the claim is met', () => {
      const steps = walkOver(cursorPaging, [withToken('b', 1, 2), withToken('c', 1, 2)], { claimed: 2 });
      expect(last(steps)).toMatchObject({ kind: 'end', reason: 'complete', claimed: 2, rows: [] });
    });

    it('is over once the pages have brought as many rows as they claim', () => {
      expect(walkOver(cursorPaging, [claim(3, 'b', 1, 2), claim(3, 'c', 3)], {}, claims)).toMatchObject([
        { kind: 'next' },
        { kind: 'end', reason: 'complete', claimed: 3 },
      ]);
      // The rows show that the claim is wrong.
      expect(last(walkOver(cursorPaging, [claim(3, 'b', 1, 2), claim(3, 'c', 3, 4)], {}, claims)).kind).toBe('next');
    });

    it('looks again once a walk, and then says how short it is', () => {
      const steps = walkOver(cursorPaging, [claim(9, null, 1), claim(9, null, 1), claim(9, null, 1)], {}, claims);
      expect(steps).toHaveLength(2);
      expect(last(steps)).toMatchObject({ kind: 'end', reason: 'complete', short: { got: 1, claimed: 9, tolerable: false }, rows: [] });
    });

    it('takes 5 % or 3 rows for an error of the claim, unless the last page is full', () => {
      const short = (claimed: number, got: number): unknown =>
        walkOver(cursorPaging, [claim(claimed, null, ...Array.from({ length: got }, (_, i) => i)), claim(claimed, null, 0)], {}, claims).at(
          -1,
        );
      expect(short(4, 1)).toMatchObject({ short: { tolerable: true } });
      expect(short(100, 95)).toMatchObject({ short: { tolerable: true } });
      expect(short(100, 94)).toMatchObject({ short: { tolerable: false } });
      const full = claim(12, null, ...Array.from({ length: 10 }, (_, i) => i));
      expect(last(walkOver(cursorPaging, [full, full], {}, claims))).toMatchObject({ short: { got: 10, tolerable: false } });
    });

    it('believes no claim where the walk began in the middle or is narrowed, and is capped where a limit lets it look no further', () => {
      const response = claim(9, null, 1);
      const ends = (query: object, options: WalkOptions = {}): unknown => {
        const factory = { name: 'fake', paging: cursorPaging, ...claims };
        const state = startWalk(factory, query, options);
        return walkStep(factory, state, page(state.query, response), options);
      };
      for (const end of [ends({ cursor: 'm' }), ends({ topic: 't' }), ends({}, { rows: 'others' })]) {
        expect(end).toMatchObject({ kind: 'end', reason: 'complete' });
        expect(end).not.toHaveProperty('short.got');
      }
      expect(ends({}, { maxPages: 1 })).toMatchObject({ kind: 'end', reason: 'capped', event: { limit: 'maxPages' } });
      expect(ends({})).toMatchObject({ kind: 'next' });
    });

    it('takes the claim of whoever begins the walk where the page has none', () => {
      expect(last(walkOver(cursorPaging, [rows(1), rows(1)], { claimed: 9 }))).toMatchObject({ short: { got: 1, claimed: 9 } });
    });
  });

  describe('over a service whose pages lose their token, come empty, and are cut or repeat the page before', () => {
    const size = 10;
    type Mishap = 'none' | 'token' | 'empty' | 'cut' | 'repeated';
    const pagings = {
      'with tokens': cursorPaging,
      'by page': offsetPaging,
      'by ten rows': { kind: 'offset', param: 'page', step: size },
      'by the rows received': { kind: 'offset', param: 'page', step: 'received' },
    } as const;

    interface Walk {
      readonly got: readonly number[];
      readonly notices: readonly WalkEvent[];
      readonly end: Stepped;
    }

    /** A walk over `total` rows, where each request has a mishap. */
    function walked(paging: CursorPaging | OffsetPaging, total: number, mishaps: readonly Mishap[], claims: object): Walk {
      const factory = { name: 'fake', paging, ...claims };
      const rowsAt = (from: number): number[] =>
        Array.from({ length: Math.max(0, Math.min(size, total - from)) }, (_, index) => from + index);
      const got: number[] = [];
      const notices: WalkEvent[] = [];
      let state: WalkState = startWalk(factory, {});
      let [before, last] = [0, 0];
      for (let request = 0; request < 200; request++) {
        const { cursor, page: at } = state.query as { cursor?: string; page?: number };
        const from = Number(cursor ?? (at ?? 0) * (paging.kind === 'offset' && paging.step === 1 ? size : 1));
        if (from !== last) [before, last] = [last, from];
        const mishap = mishaps[request] ?? 'none';
        const next = mishap !== 'token' && (mishap === 'empty' || from + size < total) ? `${from + size}` : undefined;
        const whole = rowsAt(mishap === 'repeated' ? before : from);
        const list = mishap === 'empty' ? [] : mishap === 'cut' ? whole.slice(0, whole.length / 2) : whole;
        const step = walkStep(factory, state, page(state.query, { ...rows(...list), data: { total, next } }));
        got.push(...step.rows.map((row) => (row as { value: number }).value));
        notices.push(...step.notices);
        if (step.state === undefined) return { got, notices, end: step };
        state = step.state;
      }
      throw new Error('the walk has no end');
    }

    const numRuns = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 400;
    const totals = fc.integer({ min: 1, max: 60 });
    const some = (last: Mishap): fc.Arbitrary<Mishap[]> => fc.array(fc.constantFrom('none', 'token', 'empty', last), { maxLength: 16 });
    // Only a whole page is known again: rows of a cut one come twice if the next page repeats it, as where rows move between pages.
    const mishaps = fc.oneof(some('cut'), some('repeated'));
    const twice = (got: readonly number[]): number => got.length - new Set(got).size;

    it.each(Object.entries(pagings))('gives no row twice, and none is missing without a word, with a claim, %s', (_, paging) => {
      const walk = fc.property(totals, mishaps, (total, all) => {
        const { got, end } = walked(paging, total, all, { claims: { at: 'total' } });
        const short = end.kind === 'end' && end.reason === 'complete' ? end.short : undefined;
        expect(twice(got)).toBe(0);
        expect(end.kind === 'error' ? total : got.length + (short === undefined ? 0 : short.claimed - short.got)).toBe(total);
      });
      fc.assert(walk, { numRuns });
    });

    it.each(Object.entries(pagings))('gives no row twice without a word, without a claim, %s', (_, paging) => {
      const walk = fc.property(totals, mishaps, (total, all) => {
        const { got, notices } = walked(paging, total, all, {});
        expect(notices.some(({ type }) => type === 'thinPage') ? 0 : twice(got)).toBe(0);
      });
      fc.assert(walk, { numRuns });
    });
  });

  describe('without a claim', () => {
    const many = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);
    const full = (next: unknown, from: number): object => withToken(next, ...many(10, from));
    const kinds = (steps: ReturnType<typeof walkOver>): string[] =>
      steps.map((step) => (step.kind === 'next' && step.move.recheck !== undefined ? 'again' : step.kind));
    const walked = (paging: CursorPaging | OffsetPaging, pages: readonly object[], more: object = {}): ReturnType<typeof walkOver> =>
      walkOver(paging, pages as never, {}, more);

    it('requests a full page without a token once more, where its size is documented', () => {
      const [sized, only] = [{ ...cursorPaging, size: 2 }, withToken(null, 1, 2)];
      const steps = walked(sized, [withToken('b', 1, 2), withToken(null, 3, 4), withToken('c', 3, 4), withToken(null, 5)]);
      expect(kinds(steps)).toEqual(['next', 'again', 'next', 'end']);
      expect(kinds(walked(sized, [only, withToken('c', 1, 2), withToken(null, 3)], { recheck: 'always' }))).toEqual([
        'again',
        'next',
        'end',
      ]);
    });

    it('says of a full first page without a token that nothing confirms it, and requests it no more', () => {
      const [end] = walked({ ...cursorPaging, size: 2 }, [withToken(null, 1, 2)]);
      expect(end).toMatchObject({ kind: 'end', notices: [{ type: 'fullEnd' }] });
    });

    it('requests an empty first page once more where the service is known to be flaky', () => {
      expect(kinds(walked(offsetPaging, [rows()]))).toEqual(['end']);
      expect(kinds(walked(offsetPaging, [rows(), rows(1), rows()], { recheck: 'always' }))).toEqual(['again', 'next', 'end']);
    });

    it('requests the last page again if it is as long as one that another followed', () => {
      const lost = walked(cursorPaging, [
        withToken('b', ...many(7)),
        withToken(null, ...many(7, 8)),
        withToken('c', ...many(7, 8)),
        rows(15),
      ]);
      expect(kinds(lost)).toEqual(['next', 'again', 'next', 'end']);
      expect(rowsOf(lost)).toEqual(many(15));
      const ordinary = walked(cursorPaging, [withToken('b', ...many(7)), withToken(null, ...many(6, 8))]);
      expect(kinds(ordinary)).toEqual(['next', 'end']);
    });

    it('requests an empty page again after a page that is as long as one that another followed', () => {
      const lost = walked(offsetPaging, [
        rows(...many(9)),
        rows(...many(8, 10)),
        rows(...many(8, 18)),
        rows(),
        rows(...many(8, 26)),
        rows(34),
        rows(),
      ]);
      expect(kinds(lost)).toEqual(['next', 'next', 'next', 'again', 'next', 'next', 'end']);
      expect(rowsOf(lost)).toEqual(many(34));
      expect(kinds(walked(offsetPaging, [rows(...many(9)), rows(...many(8, 10)), rows()]))).toEqual(['next', 'next', 'end']);
    });

    it('requests an undocumented list again that is missing after a full page', () => {
      const lost = walked(offsetPaging, [rows(...many(10)), { rows: undefined }, rows(11), rows()], { listUndocumented: true });
      expect([kinds(lost), rowsOf(lost)]).toEqual([['next', 'again', 'next', 'end'], many(11)]);
    });

    it('confirms each end, and requests no page a third time', () => {
      const twice = walked(cursorPaging, [
        full('b', 1),
        full(null, 11),
        full('c', 11),
        full(null, 21),
        full('d', 21),
        full(null, 31),
        full(null, 31),
      ]);
      expect(kinds(twice)).toEqual(['next', 'again', 'next', 'again', 'next', 'again', 'end']);
      expect(rowsOf(twice)).toEqual(many(40));
    });

    it.each([
      [10, ['again', 'end']],
      [20, ['again', 'end']],
      [18, ['end']],
      [4, ['end']],
    ])('takes a first page of %d rows for full if that is a multiple of ten', (count, expected) => {
      const only = rows(...many(count));
      expect(kinds(walked(cursorPaging, [only, only], { recheck: 'always' }))).toEqual(expected);
    });

    it('takes a first page for full only at its documented size, or where a search is cut', () => {
      const ends = (count: number, splits?: object): string[] =>
        kinds(walked({ ...offsetPaging, step: 20 }, [rows(...many(count)), rows(), rows()], { splits }));
      expect([ends(10), ends(20), ends(20, { full: 20 })]).toEqual([
        ['next', 'end'],
        ['next', 'again', 'end'],
        ['next', 'end'],
      ]);
    });

    it('tells rows of a page that is requested again apart by their id', () => {
      const seen = (age: string, next?: string): object => ({ rows: many(10).map((id) => ({ id, age })), data: { next } });
      const steps = walked(cursorPaging, [seen('1 hour'), seen('2 hours', 'b'), rows(1)], { id: 'id', recheck: 'always' });
      expect(steps.map((step) => step.rows.length)).toEqual([10, 0, 1]);
    });

    it('reports an empty page that leads on to others, and stays so', () => {
      const pages = [withToken('b', 1), withToken('c'), withToken('d'), rows(2)];
      expect(kinds(walked(cursorPaging, pages))).toEqual(['next', 'next', 'next', 'end']);
      const [first, empty, ...rest] = pages;
      const steps = walked(cursorPaging, [first!, empty!, empty!, ...rest], { recheck: 'always' });
      expect(kinds(steps)).toEqual(['next', 'again', 'next', 'next', 'end']);
      expect(steps.flatMap(({ notices }) => notices)).toMatchObject([
        { type: 'thinPage', query: { cursor: 'b' }, message: 'it has no rows, and leads on to more pages' },
        { type: 'thinPage', query: { cursor: 'c' } },
      ]);
    });

    it('reports a page before the last that has at most half the rows of another', () => {
      const noticesOf = (...sizes: number[]): unknown[] =>
        walked(
          cursorPaging,
          sizes.map((size, at) => withToken(at < sizes.length - 1 ? `t${at}` : null, ...many(size, at * 100))),
        ).flatMap(({ notices }) => notices);
      expect(noticesOf(10, 5, 10, 3)).toEqual([
        {
          type: 'thinPage',
          operation: 'fake',
          query: { cursor: 't1' },
          message: 'the page before this one has 5 rows, and another has 10',
        },
      ]);
      expect(noticesOf(5, 10, 3)).toHaveLength(1);
      expect([noticesOf(10, 6, 10, 3), noticesOf(10, 5), noticesOf(4, 1, 4, 1)]).toEqual([[], [], []]);
    });

    it('requests a first page without rows again, and reports it, if the estimate says that there are some', () => {
      const none = (total: unknown): object => ({ rows: [], data: { total } });
      const more = { estimates: 'total' };
      expect(kinds(walked(offsetPaging, [none(0)], more))).toEqual(['end']);
      expect(kinds(walked(offsetPaging, [none('9')], more))).toEqual(['end']);
      expect(kinds(walked(offsetPaging, [none(9), rows(1), none(9)], more))).toEqual(['again', 'next', 'end']);
      const message = 'it has no rows, though total is 9';
      expect(last(walked(offsetPaging, [none(9), none(9)], more))).toMatchObject({ kind: 'end', notices: [{ type: 'thinPage', message }] });
      const first = walkOver(offsetPaging, [none(9) as never], { maxPages: 1 }, more);
      expect(first).toMatchObject([{ kind: 'end', notices: [{ type: 'thinPage', message }] }]);
    });
  });

  it('goes on after a page with fewer rows, and counts rows that cannot be used', () => {
    const received: OffsetPaging = { ...offsetPaging, step: 'received' };
    const state = startWalk({ name: 'fake', paging: received }, {});
    const short = { ...page({}, rows(1, 2)), received: 3 };
    expect(walkStep({ name: 'fake', paging: received }, state, short)).toMatchObject({ kind: 'next', state: { query: { page: 3 } } });
    const none = { ...page({}, rows()), received: 1 };
    expect(walkStep({ name: 'fake', paging: offsetPaging }, state, none)).toMatchObject({ kind: 'next' });
  });

  it('counts from the value of the first page', () => {
    const fromOne: OffsetPaging = { ...offsetPaging, first: 1 };
    expect(walkOver(fromOne, [rows(1)])).toMatchObject([{ state: { query: { page: 2 } } }]);
    expect(startWalk({ name: 'fake', paging: fromOne }, {}, { startPage: 2 })).toMatchObject({ query: { page: 3 } });
  });

  it('takes the next address from the page when a header has it', () => {
    const paging: CursorPaging = { ...cursorPaging, at: [], address: true, link: true };
    const state = startWalk({ name: 'fake', paging }, {});
    const linked = { ...page({}, rows(1)), next: '/fake?page=2' };
    expect(walkStep({ name: 'fake', paging }, state, linked)).toMatchObject({ kind: 'next', state: { query: { cursor: '/fake?page=2' } } });
    expect(walkStep({ name: 'fake', paging }, state, page({}, rows(1)))).toMatchObject({ kind: 'end' });
  });

  it('takes a list that is absent for an empty one where it is undocumented', () => {
    expect(walkOver(offsetPaging, [{ rows: undefined }], {}, { listUndocumented: true })).toMatchObject([{ kind: 'end', notices: [] }]);
  });
});

describe('checkWalkOptions', () => {
  const cursor = { name: 'fake', paging: cursorPaging };
  const offset = { name: 'fake', paging: offsetPaging };
  const refused: readonly (readonly [WalkedOperation, WalkOptions])[] = [
    [cursor, { maxPages: 0 }],
    [cursor, { maxPages: 1.5 }],
    [cursor, { maxItems: Number.NaN }],
    [cursor, { startCursor: '' }],
    [offset, { startCursor: 'x' }],
    [cursor, { startPage: 1 }],
    [offset, { startPage: -1 }],
    [offset, { startPage: Infinity }],
    [cursor, { cursorAt: '' }],
    [cursor, { onShort: 'fail' as never }],
  ];
  it.each(refused)('refuses what no walk can do: %o %o', (factory, options) => {
    const [option] = Object.keys(options);
    expect(() => checkWalkOptions('caller', factory, options)).toThrow(new RegExp(`^caller\\(fake\\): ${option}`));
  });
});
