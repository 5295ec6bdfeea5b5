import { describe, expect, it } from 'vitest';
import { withVariables } from '../../src/contract/secrets.ts';
import { defineOperation, defineService, type Service } from '../../src/index.ts';

const list = defineOperation({ get: '/list', params: {}, rows: '', row: { id: 'string' } });
const advice = 'check apiKey; or check baseUrl and pathPrefix';
const service = (more: object): Service => defineService({ name: 'members', operations: { list }, ...more } as never);

describe('withVariables', () => {
  it('names the variables of a service that has its own address', () => {
    const own = service({ baseUrl: 'https://members.example', headers: { 'x-key': '${key}' } });
    expect(withVariables(advice, own)).toBe('check MEMBERS_API_KEY; or check baseUrl (or MEMBERS_BASE_URL) and pathPrefix');
  });

  it('names what a service is asked with, also where that is no key', () => {
    const token = { post: '/login', form: { user: '${secret.user}', pass: '${secret.password}' }, at: 'token' };
    const login = service({ baseUrl: 'https://members.example', headers: { 'x-ticket': '${token}' }, token });
    expect(withVariables('check apiKey', login)).toBe('check MEMBERS_USER and MEMBERS_PASSWORD');
    expect(withVariables('check apiKey', service({ headers: { 'x-ticket': '${token}' }, token }))).toBe(
      'check TRAWLER_USER and TRAWLER_PASSWORD',
    );
  });

  it('names options where the address is given to the client', () => {
    expect(withVariables(advice, service({ headers: { 'x-key': '${key}' } }))).toBe(advice);
  });
});
