import { inspect } from 'node:util';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';
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
    rows: 'rows',
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

  it('says what is meant by a name that others use', () => {
    const params = { sort: { type: 'string', about: 'the order', choices: ['new', 'old'] } };
    expect(() => defineOperation({ ...withoutOwnWords(operation('search').spec), params } as never)).toThrow(
      "there is no field 'params.sort.choices'; did you mean 'params.sort.oneOf'?",
    );
  });

  it.each<readonly [object, string]>([
    [{ at: 'quota' }, 'limits.default must have one of requests, remaining, and it has none of them'],
    [{ at: 'quota', remaining: 'left', used: 'used' }, "there is no field 'limits.default.used'"],
    [
      { requests: 2, perMs: 9, remaining: 'left' },
      'limits.default must have one of requests, remaining, and it has requests and remaining',
    ],
  ])('refuses the limit %j', (limit, message) => {
    expect(() => service({ limits: { default: limit } })).toThrow(`defineService(own): ${message}`);
    const operations = { search: defineOperation({ ...withoutOwnWords(operation('search').spec), group: 'few' }) };
    expect(() => service({ limits: { few: limit }, operations })).toThrow(message.replace('default', 'few'));
  });
});
