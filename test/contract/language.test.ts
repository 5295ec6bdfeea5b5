import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { OptionSet } from '../../operators/options/OptionSet.ts';
import { defineOperation, defineService } from '../../src/contract/defineService.ts';
import { operationFields } from '../../src/contract/language/operationFields.ts';
import { serviceFields } from '../../src/contract/language/serviceFields.ts';
import { searchService } from '../../src/search/searchService.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';
import { define, type Description, descriptions } from './descriptions.ts';

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
    ['params', 'params must be an object, not undefined; without parameters it is {}'],
    ['paging', "paging must be an object, not undefined; without further pages it is { kind: 'none' }"],
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
    expect(described('claims', 'meta.total')).toBe("claims must be an object, not 'meta.total'; did you mean { at: 'meta.total' }?");
    expect(described('claims', 7)).toBe('claims must be an object, not 7');
  });

  it('says what a kind of paging is here that has another name elsewhere', () => {
    const paged = (kind: string): Description =>
      changed({ description: descriptions[0]!, caller: 'defineOperation(search)' }, 'paging.kind', kind);
    expect(refusal(paged('page'))).toMatch(
      /^paging\.kind must be 'none', .*not 'page'; did you mean 'offset' with step: 1, and first: 1 if/,
    );
    expect(refusal(paged('pageNumber'))).toContain("did you mean 'offset' with step: 1");
    expect(refusal(paged('next_token'))).not.toContain('did you mean');
    expect(refusal(paged('link'))).toContain("did you mean 'cursor' with address: true");
  });

  it('refuses a name of nothing with its place and the nearest one', () => {
    const messages = names.map((one) => {
      const isKey = /fixed|with/.test(one.place);
      const description = isKey ? changed(one, one.place, true, misspelt(one.name)) : changed(one, one.place, misspelt(one.name));
      return [one.place, one.name, refusal(description)] as const;
    });
    expect(messages.length).toBeGreaterThan(30);
    expect(messages.filter(([place, name, message]) => !message.includes(place) || !message.endsWith(`did you mean ${name}?`))).toEqual([]);
  });

  it('takes the built-in service, and a guess that says so', () => {
    const { operations, ...service } = searchService;
    const described = Object.fromEntries(Object.entries(operations).map(([name, { spec }]) => [name, withoutOwnWords(spec)]));
    expect(() => define({ ...service, operations: described })).not.toThrow();
    const { search } = descriptions[1]!.operations as { readonly search: Description['operations'][string] };
    const own = { rules: [], variants: {}, params: { next: { type: 'string', form: {} } }, paging: { kind: 'offset', numbers: {} } };
    for (const [field, value] of Object.entries(own))
      expect(() => define({ ...descriptions[1]!, operations: { search: { ...search, [field]: value } as never } })).toThrow(
        'there is no field',
      );
    const guess = (undocumented: object) => () =>
      define({
        ...descriptions[1]!,
        operations: { search: { ...search, paging: { kind: 'cursor', param: 'next', at: ['elsewhere'], ...undocumented } } },
      });
    expect(guess({ undocumented: true })).not.toThrow();
    expect(guess({})).toThrow("paging.at[0] is 'elsewhere', but response has no elsewhere; there is rows");
  });

  it.each([
    [{ kind: 'merge', at: 'onward' }, "operations.search.paging.at is 'onward', but response has no onward; there is rows, next"],
    [
      { kind: 'offset', param: 'page', step: 1, more: 'next' },
      "paging.more is 'next', which is neither true nor false; if it is there only while there are more pages, write more: { present: 'next' }",
    ],
  ])('refuses the paging %j, which would have no effect', (paging, message) => {
    const search = {
      get: '/x',
      params: { page: { type: 'integer' } },
      response: { rows: ['string'], 'next?': 'string' },
      list: 'rows',
      paging,
    };
    expect(refusal({ name: 'plain', operations: { search: search as never } })).toBe(message);
  });

  it.each([
    [
      { path: '/books/${shelf}' },
      "paging.path names 'shelf', which is not one of its params; there is words, tags, sort, size, first, last, cursor, before, ticket, view",
    ],
    [{ path: '/next', address: true }, 'paging.path is for tokens, but address says that the token is the address of the next page'],
  ])('refuses %j of later pages', (more, message) => {
    const { search } = descriptions[0]!.operations as { readonly search: Description['operations'][string] };
    const given = {
      ...descriptions[0]!,
      operations: { ...descriptions[0]!.operations, search: { ...search, paging: { ...search.paging, ...more } } },
    };
    expect(refusal(given as unknown as Description)).toBe(message);
  });

  it('says what the step is where pages are counted, if it is missing', () => {
    const { search } = descriptions[1]!.operations as { readonly search: Description['operations'][string] };
    const [param] = Object.keys(search.params);
    const given = { ...descriptions[1]!, operations: { search: { ...search, paging: { kind: 'offset', param } } } };
    expect(refusal(given as unknown as Description)).toBe(
      "paging.step must be a whole number from 1 on, or 'received', not undefined; where pages are counted it is 1",
    );
  });

  it('refuses a number of pages where they are not counted in fixed steps', () => {
    const paged = (step: unknown) => () => {
      const { search } = descriptions[1]!.operations as { readonly search: Description['operations'][string] };
      const [param] = Object.keys(search.params);
      const paging = { kind: 'offset', param, step, pages: 'pages' };
      const response = { ...(search.response as object), pages: 'integer' };
      define({ ...descriptions[1]!, operations: { search: { ...search, response, paging } } } as unknown as Description);
    };
    expect(paged(10)).not.toThrow();
    expect(paged('received')).toThrow("paging.pages needs pages counted in fixed steps, so paging.step must be a number, not 'received'");
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
    const { search } = descriptions[1]!.operations as { readonly search: Description['operations'][string] };
    const response = { ...(search.response as object), link: [{ relation: '=self|next', url: 'string' }], meta: { url: 'string' } };
    const params = { next: { type: 'string' } };
    const paging = { kind: 'cursor', param: 'next', at: [at], address: true };
    const given = { ...descriptions[2]!, operations: { search: { ...search, params, response, list: 'rows', paging } } } as object;
    const message = refusal(given as Description);
    expect(message).toBe(fault === undefined ? 'not refused' : `paging.at[0] is '${at}', but ${fault}`);
  });

  it.each(['link[relation].url', 'link[=next].url', 'link[relation=].url', 'link[relation=next', 'link[relation=next]url', '[a=b]'])(
    'refuses what picks no entry: %s',
    (at) => {
      const { search } = descriptions[1]!.operations as { readonly search: Description['operations'][string] };
      const [param] = Object.keys(search.params);
      const given = { ...descriptions[2]!, operations: { search: { ...search, paging: { kind: 'cursor', param, at: [at] } } } } as object;
      expect(refusal(given as Description)).toMatch(/^paging.at(\[0\])? must be a/);
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
        params: fc.dictionary(key, param, { minKeys: 2, maxKeys: 5 }),
        id: key,
        kind: fc.constantFrom('cursor', 'offset', 'none'),
        isPost: fc.boolean(),
        flags: fc.record({ size: fc.nat().map((n) => n + 1), alone: fc.constant(true as const) }, { requiredKeys: [] }),
      })
      .map(({ paths: [list, token, total, other], shapes: [one, two, three], params, id, kind, isPost, flags }) => {
        const [first, second] = Object.keys(params) as [string, string];
        const paging = {
          cursor: { kind: 'cursor', param: first, at: [token], more: other, ...flags },
          offset: { kind: 'offset', param: second, step: 1, total },
          none: { kind: 'none' },
        }[kind];
        return {
          ...descriptions[2]!,
          operations: {
            search: {
              [isPost ? 'post' : 'get']: '/x',
              [isPost ? 'body' : 'query']: { [id]: `\${${first}}`, [list!]: `before \${${second}} and \${${first}}` },
              params,
              response: Object.assign(
                {},
                inPath(list!, [{ [id]: 'string', row: one }]),
                inPath(token!, two),
                inPath(total!, 'integer'),
                inPath(other!, kind === 'cursor' ? 'boolean' : three),
              ),
              list,
              id,
              claims: { at: total },
              paging,
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
    [{ rows: 'string' }, "list is 'rows', which isn't a list in response"],
    [{ rows: { a: 'string' } }, "list is 'rows', which is an object in response: keyed names the column for its keys"],
    [{ row: ['string'] }, "list is 'rows', but response has no rows; did you mean row?"],
  ])('refuses the shape %j', (response, message) => {
    const { search } = descriptions[1]!.operations;
    expect(refusal({ ...descriptions[1]!, operations: { search: { ...search!, response: response as never } } })).toBe(message);
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
    const { search } = descriptions[1]!.operations;
    expect(() =>
      define({ ...descriptions[1]!, operations: { search: { ...search!, response: { rows: [{ shape: shape as never }] } } } }),
    ).not.toThrow();
  });
});
