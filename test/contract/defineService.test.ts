import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { clientMembers } from '../../src/contract/describeOperation.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';

const operation = (name: string) =>
  defineOperation({
    name,
    get: '/x',
    about: 'For this test.',
    params: { q: { type: 'string', about: 'what' } },
    response: { rows: [{ id: 'string' }] },
    list: 'rows',
    paging: { kind: 'none' },
  });
const service = (more: object, name = 'search') => defineService({ name: 'own', operations: { [name]: operation(name) }, ...more });

describe('defineService', () => {
  it.each([...clientMembers, 'then', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'refuses an operation called %s, which would overwrite a member of the client',
    (name) => expect(() => service({}, name)).toThrow(`operations.${name}: a client has another ${name}`),
  );

  it('knows all members of a client', () => {
    const client = createClient({ service: service({}), baseUrl: 'http://127.0.0.1:1' });
    expect(Object.keys(client).toSorted()).toEqual(['search', ...clientMembers].toSorted());
    expect(inspect(client)).toMatch(/^Client \{/);
  });

  it.each(['v3', ['v3'], [5], {}])('refuses nextPaths that are no list of paths: %j', (nextPaths) =>
    expect(() => service({ nextPaths })).toThrow(
      /^defineService\(own\): nextPaths(\[0\] must be a| must be a list, each entry a) path that starts with a slash, not /,
    ),
  );

  it('says what is meant by a name that others use', () => {
    const params = { sort: { type: 'string', about: 'the order', values: ['new', 'old'] } };
    expect(() => defineOperation({ ...operation('search').spec, params } as never)).toThrow(
      "there is no field 'params.sort.values'; did you mean 'params.sort.oneOf'?",
    );
  });

  it.each<readonly [object, string]>([
    [{ form: 'used/size', perSecond: 2 }, 'limit must have either a header or a path in the body (at)'],
    [{ header: 'x-a', at: 'a', form: 'used/size', perSecond: 2 }, 'limit must have either a header or a path in the body (at)'],
    [{ at: 'cost', size: 'size' }, 'limit must name either what is remaining or what is used'],
    [{ at: 'cost', remaining: 'left', used: 'used', size: 'size' }, 'limit must name either what is remaining or what is used'],
    [{ at: 'cost', used: 'used' }, 'limit.used needs size, which it is a part of'],
    [{ at: 'cost', remaining: 'left', perSecond: 2 }, 'limit.perSecond needs size: that of the bucket'],
    [
      { at: 'cost', remaining: 'left', size: 'size', perSecond: 'rate', reset: 'again' },
      'limit has reset and perSecond; a count that begins again needs only reset',
    ],
    [{}, 'limit must have one of requests, form, at, remaining, and it has none of them'],
    [
      { requests: 2, perMs: 9, remaining: 'left' },
      'limit must have one of requests, form, at, remaining, and it has requests and remaining',
    ],
    [{ remaining: 'left', size: 'size' }, 'limit.at must be a dotted path, not undefined'],
  ])('refuses the limit %j', (limit, message) => {
    expect(() => service({ limit })).toThrow(`defineService(own): ${message}`);
    const operations = { search: defineOperation({ ...operation('search').spec, group: 'few' }) };
    expect(() => service({ groups: { few: limit }, operations })).toThrow(message.replace('limit', 'groups.few'));
  });
});
