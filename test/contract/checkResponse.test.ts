import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { madeOperation } from '../../src/contract/madeOperation.ts';
import { checkResponse, fieldsOf, type ObjectShape, type OperationSpec, type Shape } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import { arbitraryOf } from './arbitraryOf.ts';

const base = { name: 'test', title: 'Test', group: 'Test', get: '/test', about: 'Test.', params: {} } as const;
const operationOf = (response: ObjectShape, list: string | null = null, more: Partial<OperationSpec> = {}) =>
  madeOperation({ ...base, response, rows: list, ...more });
const issuesOf = (response: ObjectShape, data: unknown) => checkResponse(operationOf(response), data).issues;

describe('checkResponse', () => {
  it.each(Object.values(operations))('finds nothing wrong with any documented response of $name', (operation) => {
    const { response, rows: list, variants } = operation.spec as OperationSpec;
    const responses: { response: Shape; query: object; rows: string | null }[] = [{ response, query: {}, rows: list }];
    for (const [value, variant] of Object.entries(variants?.values ?? {}))
      responses.push({ ...variant, query: { [variants!.param]: value } });
    for (const { response, query } of responses) {
      fc.assert(
        fc.property(arbitraryOf(response), (data) => {
          expect(checkResponse(operation, data, query)).toEqual({ issues: [], badRows: [] });
        }),
        { numRuns: 30 },
      );
    }
  });

  it.each(Object.values(operations))('names each field that a response of $name lacks', (operation) => {
    const response = operation.spec.response as ObjectShape;
    const required = fieldsOf(response).filter(({ optional }) => !optional);
    const [data] = fc.sample(arbitraryOf(response), { numRuns: 1, seed: 7 }) as [Record<string, unknown>];
    for (const { name } of required) {
      const { [name]: _, ...rest } = data;
      expect(checkResponse(operation, rest).issues.map(({ path }) => path)).toEqual([name]);
    }
  });

  describe('tells what was expected and what came', () => {
    const cases: readonly (readonly [ObjectShape[string], unknown, string])[] = [
      ['string', 5, 'expected a text, got 5'],
      ['string: with a remark', null, 'expected a text, got null'],
      ['integer', 1.5, 'expected a whole number, got 1.5'],
      ['number', '1', 'expected a number, got "1"'],
      ['boolean', 'true', 'expected true or false, got "true"'],
      ['object', [], 'expected an object, got a list'],
      ['array', {}, 'expected a list, got an object'],
      [['string'], 'a', 'expected a list, got "a"'],
      ['string|null', 0, 'expected a text or null, got 0'],
      ['integer|null', 'x', 'expected a whole number or null, got "x"'],
      ['number|null', true, 'expected a number or null, got true'],
      ['number|string', null, 'expected a number or a text, got null'],
      ['=up|down', 'sideways', 'expected one of up, down, got "sideways"'],
      ['=up', 1, 'expected "up", got 1'],
      ['~filed|granted', 1, 'expected a text, got 1'],
      [{ a: 'string' }, 'x', 'expected an object, got "x"'],
      [{ $nullable: { a: 'string' } }, 1, 'expected an object or null, got 1'],
      [{ $map: 'string' }, [], 'expected an object, got a list'],
      [{ $oneOf: [{ a: 'string' }, { b: 'string' }] }, 1, 'expected an object, got 1'],
      ['string', undefined, 'expected a text, got nothing'],
      ['unknown', undefined, 'expected something, got nothing'],
    ];
    it.each(cases)('%j given %j', (shape, value, message) => {
      expect(issuesOf({ field: shape }, { field: value })).toEqual([{ path: 'field', message }]);
    });
  });

  it('accepts null where it may stand, texts beyond the known ones, and optional fields that are absent', () => {
    const shape = { a: 'string|null', b: { $nullable: { c: 'string' } }, d: '~x|y', 'e?': 'integer' } as const;
    expect(issuesOf(shape, { a: null, b: null, d: 'z' })).toEqual([]);
  });

  it('says each path once, with [] for any element of a list and * for any key', () => {
    const rows = Array.from({ length: 50 }, () => ({ user: { name: 1 }, years: { 2021: 'x', 2022: 'y' } }));
    expect(issuesOf({ rows: [{ user: { name: 'string' }, years: { $map: 'integer' } }] }, { rows }).map(({ path }) => path)).toEqual([
      'rows[].user.name',
      'rows[].years.*',
    ]);
  });

  it('stops at ten', () => {
    const shape = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, 'string' as const]));
    expect(issuesOf(shape, {})).toHaveLength(10);
  });

  it('shortens what came and escapes what a terminal would act on', () => {
    const [issue] = issuesOf({ a: 'integer' }, { a: `\u001b[2J\u202e${'x'.repeat(10_000)}` });
    expect(issue!.message).toMatch(/^expected a whole number, got "\\u\{1b\}\[2J\\u\{202e\}x+…$/);
    expect(issue!.message.length).toBeLessThan(120);
  });

  it('treats __proto__ and constructor as data', () => {
    const shape = JSON.parse('{"__proto__":"string","constructor":"string","toString?":"string"}') as ObjectShape;
    expect(issuesOf(shape, JSON.parse('{"__proto__":"a","constructor":"b"}'))).toEqual([]);
    expect(issuesOf(shape, {}).map(({ path }) => path)).toEqual(['__proto__', 'constructor']);
    expect(issuesOf({ m: { $map: 'integer' } }, JSON.parse('{"m":{"__proto__":"x"}}')).map(({ path }) => path)).toEqual(['m.*']);
  });

  it('tells the alternatives of a union apart by their field', () => {
    const shape = {
      $oneOf: [
        { type: '=a', x: 'string' },
        { type: '=b', y: 'string' },
      ],
      $by: 'type',
    } as const;
    expect(issuesOf({ u: shape }, { u: { type: 'b', y: 'z' } })).toEqual([]);
    expect(issuesOf({ u: shape }, { u: { type: 'b', x: 'z' } })).toEqual([{ path: 'u.y', message: 'expected a text, got nothing' }]);
    expect(issuesOf({ u: shape }, { u: { type: 'c' } })).toEqual([{ path: 'u.type', message: 'expected one of a, b, got "c"' }]);
    expect(issuesOf({ u: shape }, { u: {} })).toEqual([{ path: 'u.type', message: 'expected one of a, b, got nothing' }]);
  });

  it('compares with the most similar alternative if no field tells them apart', () => {
    const article = { title: 'a', link: 'b', thumbnail: '', source: 'c', icon: 'd', authors: [], date: 'e' };
    const data = { menu_links: [], news_results: [article, { title: 'story', stories: [{ ...article, rank: 1 }] }] };
    expect(checkResponse(operations.newsSearch, data).issues).toEqual([
      { path: 'news_results[].rank', message: 'expected a whole number, got nothing' },
    ]);
  });

  it('knows the fields, the twins and the others of an object whose keys vary', () => {
    const shape = { $map: 'integer', $known: { title: 'string' }, $suffix: '_links', $twin: ['string'] } as const;
    expect(issuesOf({ m: shape }, { m: { title: 'x', founded: 1900, founder_links: ['y'] } })).toEqual([]);
    expect(issuesOf({ m: shape }, { m: { founded: 'x', founder_links: 1 } }).map(({ path }) => path)).toEqual([
      'm.title',
      'm.*',
      'm.*_links',
    ]);
  });

  it('returns the rows that are not objects', () => {
    const operation = operationOf({ rows: [{ a: 'string' }] }, 'rows');
    expect(checkResponse(operation, { rows: [{ a: 'x' }, null, { a: 1 }, [], 'y'] }).badRows).toEqual([1, 3, 4]);
    expect(checkResponse(operation, { rows: [{}] }).badRows).toEqual([]);
  });

  it('returns the bad rows of another list', () => {
    const operation = operationOf({ rows: [{ a: 'string' }], others: ['object'] }, 'rows');
    expect(checkResponse(operation, { rows: [1], others: [{}, 2] }, {}, 'others').badRows).toEqual([1]);
  });

  it('reports an absent list as drift, and not an empty one', () => {
    const operation = operationOf({ rows: [{ a: 'string' }] }, 'rows');
    expect(checkResponse(operation, { rows: [] }).issues).toEqual([]);
    for (const data of [{}, { rows: null }, { rows: {} }])
      expect(checkResponse(operation, data).issues.map(({ path }) => path)).toEqual(['rows']);
  });

  it('reports a list as absent only if its parent is there', () => {
    const within = operationOf({ 'a?': { rows: [{ a: 'string' }] } }, 'a.rows');
    expect(checkResponse(within, {}).issues).toEqual([]);
    expect(checkResponse(within, { a: {} }).issues.map(({ path }) => path)).toEqual(['a.rows']);
  });

  it('reports an absent undocumented list only if it was named', () => {
    const operation = operationOf({ 'rows?': [{ a: 'string' }] }, 'rows', { listUndocumented: true });
    expect(checkResponse(operation, {}).issues).toEqual([]);
    expect(checkResponse(operation, {}, {}, 'properties').issues).toEqual([
      { path: 'properties', message: 'expected a list, got nothing' },
    ]);
    expect(checkResponse(operation, { properties: [{ b: 1 }, 2] }, {}, 'properties')).toEqual({ issues: [], badRows: [] });
  });

  it('names the lists that a response without the expected one has', () => {
    const operation = operationOf({ rows: [{ a: 'string' }] }, 'rows');
    const messageOf = (data: object): string | undefined =>
      checkResponse(operation, data).issues.find(({ path }) => path === 'rows')?.message;
    const rows = [{ a: 'x' }];
    expect(messageOf({ meta: { tags: ['x'] }, payload: { found: rows, more: { deep: rows, far: { away: rows } } }, facets: rows })).toBe(
      'expected a list, got nothing. Lists in this response: payload.found, payload.more.deep, facets',
    );
    expect(messageOf(Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, rows])))).toMatch(/: a, b, c, d$/);
    expect(messageOf({ rows: null, other: {} })).toBe('expected a list, got nothing');
  });

  it('compares with the variant that the query picks', () => {
    const { scholarAuthor } = operations;
    expect(checkResponse(scholarAuthor, {}, { author_id: 'x' }).issues.length).toBeGreaterThan(0);
    expect(checkResponse(scholarAuthor, { co_authors: [{}] }, { author_id: 'x', view_op: 'list_colleagues' }).issues).toEqual([]);
    expect(checkResponse(scholarAuthor, { citation: {} }, { author_id: 'x', view_op: 'view_citation' }).issues).toEqual([]);
    expect(checkResponse(scholarAuthor, { co_authors: 1 }, { view_op: 'list_colleagues' }).issues.map(({ path }) => path)).toEqual([
      'co_authors',
    ]);
  });

  it.each([[null], [undefined], ['text'], [5], [[]]])('survives data that is %j', (data) => {
    expect(checkResponse(operations.mapsReviews, data).issues).toEqual([
      { path: '', message: expect.stringContaining('expected an object') },
    ]);
  });
});
