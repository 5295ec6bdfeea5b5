import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { OptionSet } from '../../operators/options/OptionSet.ts';
import { defineOperation, defineService } from '../../src/contract/defineService.ts';
import { operationFields } from '../../src/contract/language/operationFields.ts';
import {
  partFields,
  searchAccount,
  searchEnvelope,
  searchFanOut,
  searchOperation,
  searchParam,
} from '../../src/contract/language/searchFields.ts';
import { serviceFields } from '../../src/contract/language/serviceFields.ts';
import { searchService } from '../../src/search/searchService.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';
import { define, type Description, descriptions, plain } from './descriptions.ts';

interface Bag {
  readonly [field: string]: unknown;
}
/** An object of a description, with the fields that it may have, and where it stands. */
interface Part {
  readonly fields: OptionSet;
  readonly given: Bag;
  readonly description: Description;
  readonly caller: string;
  readonly outer: string;
}
interface Name extends Pick<Part, 'description' | 'caller'> {
  readonly name: string;
  readonly place: string;
}

const parts: Part[] = [];
const names: Name[] = [];
for (const description of descriptions) {
  const spy = vi.spyOn(OptionSet.prototype, 'check');
  define(description);
  for (const [index, [caller, given, outer = '']] of spy.mock.calls.entries())
    parts.push({ fields: spy.mock.contexts[index] as OptionSet, given: given as Bag, description, caller, outer });
  spy.mockRestore();
  const note = (caller: string) => (_: unknown, name: string, place: string) => void names.push({ name, place, description, caller });
  serviceFields.check('', { ...description, operations: {} }, '', note(''));
  for (const [name, operation] of Object.entries(description.operations))
    operationFields.check('', operation, '', note(`defineOperation(${name})`));
}
const fields = parts.flatMap((part) => Object.entries(part.fields.kinds).map(([field, kind]) => ({ ...part, field, kind })));
const given = fields.filter((one) => one.given[one.field] !== undefined);

/** The description with another value at a place. undefined leaves the field out. */
function changed(
  { description, caller }: Pick<Part, 'description' | 'caller'>,
  place: string,
  value: unknown,
  rename?: string,
): Description {
  const copy = structuredCloneOf(description);
  const operation = /^defineOperation\((.*)\)$/.exec(caller)?.[1];
  const root = operation === undefined ? copy : (copy.operations as unknown as { readonly [name: string]: Bag })[operation]!;
  const keys = place.match(/[^.[\]]+/g)!;
  const last = keys.pop()!;
  const inside = keys.reduce<unknown>((object, key) => (object as Bag)[key], root) as { [field: string]: unknown };
  if (value === undefined || rename !== undefined) delete inside[last];
  if (value !== undefined) inside[rename ?? last] = value;
  return copy;
}

/** Functions too, which structuredClone refuses. */
function structuredCloneOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(structuredCloneOf) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, structuredCloneOf(one as unknown)])) as T;
}

function refusal(description: Description): string {
  try {
    define(description);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message.replace(/^define(Service|Operation)\(.*?\): /, '');
  }
  return 'not refused';
}

/** An object that has a value at a path. */
function inPath(path: string, value: unknown): object {
  return path.split('.').reduceRight((inner: unknown, field) => ({ [field]: inner }), value) as object;
}

/** One letter too many. */
const misspelt = (word: string): string => `${word}${word.at(-1)}`;

describe('the language of descriptions', () => {
  it('has all its tables and fields in the right descriptions', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const sources = ['operators/walk', 'src/contract'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => readFileSync(join(root, folder, path), 'utf8')),
    );
    const declared = sources.reduce((count, text) => count + text.split('declareFields<').length - 1, 0);
    expect(new Set(parts.map((part) => part.fields)).size).toBe(declared);
    const inAny = (one: (typeof fields)[number]): boolean =>
      given.some((other) => other.fields === one.fields && other.field === one.field);
    const missing = new Set(fields.filter((one) => !inAny(one)).map(({ outer, field }) => `add ${outer}${field} to descriptions.ts`));
    expect([...missing]).toEqual([]);
  });

  it('has at most 70 words, besides those of shapes and what only services of search data say', () => {
    const ofSearch = { ...searchOperation, ...searchParam, ...searchFanOut, ...searchEnvelope, ...searchAccount };
    const wordsIn = (some: readonly (typeof fields)[number][]): Set<string> => new Set(some.map(({ field }) => field));
    const isOfSearch = (one: (typeof fields)[number]): boolean =>
      ofSearch[one.field as 'title'] === one.kind || one.fields === partFields || /(^|\.)(splits|answer)\./.test(one.outer);
    const own = wordsIn(fields.filter((one) => !isOfSearch(one) && !one.field.startsWith('$')));
    expect([...own].toSorted()).toHaveLength(70);
    expect(wordsIn(fields.filter(isOfSearch)).size).toBe(37);
    expect(Object.keys(operationFields.kinds).length - Object.keys(searchOperation).length).toBe(33);
    expect(Object.keys(serviceFields.kinds)).toHaveLength(15); // one is `examples`, which only the built-in service has
  });

  it('refuses an unknown field with its place and the nearest one', () => {
    const wrong = given.map((part) => {
      const wanted = `there is no field '${part.outer}${misspelt(part.field)}'; did you mean '${part.outer}${part.field}'?`;
      return [refusal(changed(part, part.outer + part.field, part.given[part.field], misspelt(part.field))), wanted];
    });
    expect(wrong.filter(([message, wanted]) => message !== wanted)).toEqual([]);
  });

  it('refuses a value that a field does not take', () => {
    const candidates = [null, -1.5, '', {}, [], () => 1, true, Number.NaN];
    const messages = given.map((part) => {
      const place = part.outer + part.field;
      const value = candidates.find((one) => !part.kind.fits(one));
      return [`${place} must be `, value === undefined ? 'it takes anything' : refusal(changed(part, place, value))] as const;
    });
    expect(messages.filter(([begin, message]) => !message.startsWith(begin))).toEqual([]);
  });

  it('refuses a list with a wrong entry', () => {
    const lists = given.filter((part) => Array.isArray(part.given[part.field]));
    const messages = lists.map((part) => {
      const place = part.outer + part.field;
      return [place, refusal(changed(part, place, [null]))] as const;
    });
    expect(messages.filter(([begin, message]) => !message.startsWith(begin))).toEqual([]);
  });

  it('refuses a description without a field that it needs', () => {
    // Without its dollar word, an object is one of other fields.
    const needed = given.filter(({ kind, field }) => kind.more.isNeeded === true && !/^\$(nullable|hint)/.test(field));
    const messages = needed.map((part) => [part, refusal(changed(part, part.outer + part.field, undefined))] as const);
    const isRight = ({ outer, field }: Part & { readonly field: string }, message: string): boolean =>
      message.startsWith(`${outer}${field} must be `) || /^ must (have one of|name either) /.test(message.slice(outer.length - 1));
    expect(messages.filter(([part, message]) => !isRight(part, message)).map(([, message]) => message)).toEqual([]);
  });

  it.each([
    ['rows', "rows must be a path such as data.children[].data or '', or null, not undefined; where a response is the one row, it is null"],
    ['response', 'response is missing: the shape of a response, or row: that of one of its rows'],
  ])('says what to write where there is no %s', (field, message) => {
    const at = { description: descriptions[0]!, caller: 'defineOperation(search)' };
    expect(refusal(changed(at, field, undefined))).toBe(message);
  });

  it.each([undefined, null, 'search', []])('refuses %j in place of a description', (given) => {
    expect(() => defineOperation(given as never)).toThrow(/^defineOperation\(.*\): the fields must be an object, not /);
    expect(() => defineService(given as never)).toThrow(/^defineService\(.*\): the fields must be an object, not /);
  });

  it('names the nearest of a few words', () => {
    const words = given.filter((part) => part.kind.more.words?.includes(part.given[part.field] as string) === true);
    const messages = words.map((part) => {
      const word = part.given[part.field] as string;
      return [word, refusal(changed(part, part.outer + part.field, misspelt(word)))] as const;
    });
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter(([word, message]) => !message.endsWith(`; did you mean '${word}'?`))).toEqual([]);
  });

  it('says how a path is written, and that it stands in an object', () => {
    const described = (place: string, value: unknown): string =>
      refusal(changed({ description: descriptions[0]!, caller: 'defineOperation(search)' }, place, value));
    expect(described('estimates', '$.meta[0].about')).toContain("did you mean 'meta.0.about'?");
    expect(described('envelope.code', 'meta.code')).toBe(
      "envelope.code must be an object, not 'meta.code'; did you mean { at: 'meta.code' }?",
    );
    expect(described('envelope.code', 7)).toBe('envelope.code must be an object, not 7');
  });

  it('says what a word is here that others have', () => {
    const renamed = (field: string, word: string): string =>
      refusal(changed({ description: descriptions[0]!, caller: 'defineOperation(search)' }, field, '', word));
    expect(renamed('rows', 'list')).toBe("there is no field 'list'; did you mean 'rows'?");
    expect(renamed('next', 'paging')).toBe("there is no field 'paging'; did you mean 'next'?");
    expect(renamed('more', 'has_more')).toBe("there is no field 'has_more'; did you mean 'more'?");
  });

  it('says where the only values of a parameter go', () => {
    const search = { get: '/x', params: { state: { type: 'string', values: ['open', 'closed'] } }, rows: '', row: { id: 'string' } };
    expect(refusal({ name: 'plain', operations: { search: search as never } })).toContain(
      'params.state.values must be an object of values and what is sent for them (the only values go into oneOf), not ["open","closed"]',
    );
  });

  it('refuses a name of nothing with its place and the nearest one', () => {
    const messages = names.map((one) => {
      const isKey = /^order|with/.test(one.place);
      const description = isKey ? changed(one, one.place, 'x', misspelt(one.name)) : changed(one, one.place, misspelt(one.name));
      return [one.place, one.name, refusal(description)] as const;
    });
    expect(messages.length).toBeGreaterThan(25);
    expect(messages.filter(([place, name, message]) => !message.includes(place) || !message.endsWith(`did you mean ${name}?`))).toEqual([]);
  });

  it('takes the built-in service, and a guess that says so', () => {
    const { operations, ...service } = searchService;
    const described = Object.fromEntries(Object.entries(operations).map(([name, { spec }]) => [name, withoutOwnWords(spec)]));
    expect(() => define({ ...service, operations: described })).not.toThrow();
    const { search } = plain.operations;
    const own = { rules: [], variants: {}, params: { next: { type: 'string', form: {} } }, paging: { kind: 'offset' }, ownPaging: {} };
    for (const [field, value] of Object.entries(own))
      expect(() => define({ ...plain, operations: { search: { ...search, [field]: value } as never } })).toThrow('there is no field');
    const guess = (next: unknown, more: object = {}) => define({ ...plain, operations: { search: { ...search, next, ...more } as never } });
    expect(() => guess('elsewhere')).toThrow("next is 'elsewhere', but response has no elsewhere; there is rows");
    expect(() => guess(['rows', 'elsewhere'])).toThrow("next[1] is 'elsewhere', but response has no elsewhere; there is rows");
    expect(() => guess('elsewhere', { response: undefined, row: { id: 'string' } })).not.toThrow();
  });

  it.each([
    [{ merge: 'onward' }, "operations.search.merge is 'onward', but response has no onward; there is rows, next, pages, more"],
    [{ query: { p: '${page:1}', c: '${cursor}' }, next: 'next' }, 'it has ${page} and ${cursor}; one of them leads to the next page'],
    [{ query: { c: '${cursor}' } }, 'it has ${cursor}, so next is missing: where a response has the token of the next page'],
    [{ query: { c: '${cursor}' }, next: 'header:link' }, "next is 'header:link', which has the address of the next page"],
    [{ query: { c: '${cursor}' }, next: 'next', merge: 'next' }, 'it has ${cursor} and merge; one of them leads to the next page'],
    [{ next: ['header:x-a', 'header:x-b'] }, "next has 'header:x-a' and 'header:x-b'; one header leads to the next page"],
    [{ more: 'more' }, 'more says something of pages, and nothing leads to the next one'],
    [
      { query: { p: '${page:1}' }, next: 'next' },
      'here page numbers lead to the next page, so leave next out; it is for tokens or addresses',
    ],
    [{ query: { p: '${page:1}' }, repeats: true }, 'here page numbers lead to the next page, so leave repeats out; it is for tokens'],
    [{ next: 'next', nextPath: '/more' }, 'here addresses lead to the next page, so leave nextPath out; it is for tokens'],
    [{ query: { p: '${offset}' }, pages: 'pages' }, 'pages needs size: with ${offset}, the number of rows of a page'],
    [{ query: { p: '${page:one}' } }, 'it has ${page:one}; behind the colon stands the number of the first page, such as ${page:1}'],
    [{ query: { p: '${last.id:7}' } }, 'it has ${last.id:7}; the first page has no row before it'],
    [{ query: { p: '${last.idd}' } }, "${last.idd} is 'idd', but a row has no idd; did you mean id?"],
    [
      { get: '/x/${page}', params: { page: { type: 'string', required: true } } },
      'params.page is required, and ${page} stands for the place of a page; give the parameter another name',
    ],
    [{ get: '/x/${page}' }, '${page} is in the path, so it needs a first value, such as ${page:1}'],
    [{ query: { c: '${cursor}' }, next: 'next', nextPath: '/x/${shelf}' }, "nextPath names 'shelf', which is not one of its params"],
  ])('refuses %j, which leads to no next page', (words, message) => {
    const search = {
      get: '/x',
      response: { rows: [{ id: 'string' }], 'next?': 'string', pages: 'integer', more: 'boolean' },
      rows: 'rows',
      ...words,
    };
    expect(refusal({ name: 'plain', operations: { search: search as never } })).toContain(message);
  });

  it.each<readonly [string, string | undefined]>([
    ['link[relation=next].url', undefined],
    ['link[relation=next].urll', 'response has no link[].urll; did you mean link[].url?'],
    ['link[rel=next].url', 'response has no link[].rel; did you mean link[].relation?'],
    ['link[relation=nxt].url', "link[].relation is never 'nxt'; did you mean next?"],
    ['links[relation=next].url', 'response has no links; did you mean link?'],
    ['meta[relation=next].url', "meta isn't a list"],
    ['link.url', 'link is a list'],
  ])('takes or refuses an entry that is picked: %s', (at, fault) => {
    const { search } = plain.operations;
    const response = { ...(search.response as object), link: [{ relation: '=self|next', url: 'string' }], meta: { url: 'string' } };
    const given = { ...plain, operations: { search: { ...search, response, next: at } } } as object;
    const message = refusal(given as Description);
    expect(message).toBe(fault === undefined ? 'not refused' : `next is '${at}', but ${fault}`);
  });

  it.each(['link[relation].url', 'link[=next].url', 'link[relation=].url', 'link[relation=next', 'link[relation=next]url', '[a=b]'])(
    'refuses what picks no entry: %s',
    (at) => {
      const given = { ...plain, operations: { search: { ...plain.operations.search, next: at } } } as object;
      expect(refusal(given as Description)).toMatch(/^next must be 'header:link'/);
    },
  );

  it('refuses none of 500 random right descriptions', () => {
    const key = fc.stringMatching(/^[a-z][a-z_0-9]{0,8}$/).filter((name) => !(name in Object.prototype));
    const path = fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'));
    const leaf = fc.constantFrom('string', 'integer|null', 'unknown', '=a|b', '~a', 'number: of cups', 'array');
    const { shape } = fc.letrec((tie) => ({
      shape: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.tuple(tie('shape')),
        fc.dictionary(key, tie('shape'), { maxKeys: 3 }),
        tie('shape').map((one) => ({ $nullable: one })),
        fc.array(tie('shape'), { minLength: 1, maxLength: 2 }).map((all) => ({ $oneOf: all })),
        tie('shape').map((one) => ({ $map: one })),
      ),
    }));
    // Names that stand for something else in a text.
    const meant = ['key', 'basic', 'token', 'page', 'offset', 'cursor', 'since', 'from', 'to', 'now', 'today'];
    const param = fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'strings', 'object', 'array'),
        about: fc.constant('a few words'),
        required: fc.constant(true),
      },
      { requiredKeys: ['type'] },
    );
    const description = fc
      .record({
        paths: fc.uniqueArray(path, { minLength: 4, maxLength: 4, selector: (one) => one.split('.')[0] }),
        shapes: fc.tuple(shape, shape, shape),
        params: fc.dictionary(
          key.filter((name) => !meant.includes(name)),
          param,
          { minKeys: 2, maxKeys: 5 },
        ),
        id: key,
        kind: fc.constantFrom('cursor', 'offset', 'none'),
        isPost: fc.boolean(),
        flags: fc.record({ size: fc.nat().map((n) => n + 1), alone: fc.constant(true as const) }, { requiredKeys: [] }),
      })
      .map(({ paths: [list, token, total, other], shapes: [one, two, three], params, id, kind, isPost, flags }) => {
        const [first, second] = Object.keys(params) as [string, string];
        const { place = {}, ...words } = {
          cursor: { place: { 'a token': '${cursor}' }, next: token, more: other, ...flags },
          offset: { place: { 'a page': '${page:1}' } },
          none: {},
        }[kind] as { readonly place?: object };
        return {
          ...descriptions[2]!,
          operations: {
            search: {
              [isPost ? 'post' : 'get']: '/x',
              [isPost ? 'body' : 'query']: { [id]: `\${${first}}`, [list!]: `before \${${second}} and \${${first}}`, ...place },
              params,
              response: Object.assign(
                {},
                inPath(list!, [{ [id]: 'string', row: one }]),
                inPath(token!, two),
                inPath(total!, 'integer'),
                inPath(other!, kind === 'cursor' ? 'boolean' : three),
              ),
              rows: list,
              id,
              total,
              ...words,
            },
          },
        } as unknown as Description;
      });
    expect(() =>
      fc.assert(
        fc.property(description, (one) => void define(one)),
        { numRuns: 500 },
      ),
    ).not.toThrow();
  });

  it.each<readonly [unknown, string]>([
    [
      { rows: ['text'] },
      "response.rows[] must be a word of shapes (string, integer, number, boolean, object, array, unknown, number|string), not 'text'",
    ],
    [
      { rows: [{ id: 'integr' }] },
      "response.rows[].id must be a word of shapes (string, integer, number, boolean, object, array, unknown, number|string), not 'integr'; did you mean 'integer'?",
    ],
    [
      { rows: [{ id: 'strng: a text' }] },
      "response.rows[].id must be a word of shapes (string, integer, number, boolean, object, array, unknown, number|string), not 'strng'; did you mean 'string'?",
    ],
    [{ rows: [] }, 'response.rows must be a list with the one shape of its entries, not []'],
    [{ rows: [{ id: 5 }] }, "response.rows[].id must be a shape: a word such as 'string', an object, or [shape] for a list, not 5"],
    [
      { rows: [{ id: { $nulable: 'string' } }] },
      "there is no field 'response.rows[].id.$nulable'; did you mean 'response.rows[].id.$nullable'?",
    ],
    [
      { rows: [{ id: { $map: 'string', $knwon: {} } }] },
      "there is no field 'response.rows[].id.$knwon'; did you mean 'response.rows[].id.$known'?",
    ],
    [
      { rows: { $oneOf: ['strin'] } },
      "response.rows.$oneOf[0] must be a word of shapes (string, integer, number, boolean, object, array, unknown, number|string), not 'strin'; did you mean 'string'?",
    ],
    [
      { rows: [{ id: 'string', at: { lat: 'number' }, 'at.lat?': 'number' }] },
      "response.rows[]: 'lat' of 'at' and 'at.lat' can't both be the column at.lat; describe 'at' as 'object', which is one column",
    ],
    [
      { rows: [{ $oneOf: [{ 'at.lat': 'number' }, { at: { $nullable: { lat: 'number' } } }] }] },
      "response.rows[]: 'at.lat' and 'lat' of 'at' can't both be the column at.lat; describe 'at' as 'object', which is one column",
    ],
    [{ rows: 'string' }, "rows is 'rows', which isn't a list in response"],
    [{ rows: { a: 'string' } }, "rows is 'rows', which is an object in response: keyed names the column for its keys"],
    [{ row: ['string'] }, "rows is 'rows', but response has no rows; did you mean row?"],
  ])('refuses the shape %j', (response, message) => {
    expect(refusal({ ...plain, operations: { search: { ...plain.operations.search, response: response as never } } })).toBe(message);
  });

  it.each([
    'string|null',
    'boolean|null',
    'object',
    '=a|b',
    '~a',
    'number: of cups',
    { $id: 'string' },
    { $ref: ['unknown'] },
    {},
    { at: 'object', 'at.lat': 'number' },
  ])('takes the shape %j', (shape) => {
    const { search } = plain.operations;
    expect(() =>
      define({ ...plain, operations: { search: { ...search, response: { rows: [{ shape: shape as never }] } } } }),
    ).not.toThrow();
  });
});
