import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { defineOperation, defineService, type OAuth2Spec, type Service } from '../../src/contract/index.ts';
import type { Io } from '../../src/cli/Command.ts';
import { withClient } from '../../src/cli/openClient.ts';
import { searchService } from '../../src/search/index.ts';

const env = { TRAWLER_BASE_URL: 'https://service.example', TRAWLER_API_KEY: 'key' };
const io = (): Io =>
  ({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env,
    signal: new AbortController().signal,
  }) as unknown as Io;
const failing = (): Promise<number> => Promise.reject(new Error('no'));

describe('withClient', () => {
  it('exits with 2 if it fails before the first request', async () => {
    expect(await withClient({}, searchService, io(), failing)).toBe(2);
  });

  it('exits with 1 if it fails after others sent requests for it', async () => {
    expect(await withClient({}, searchService, io(), failing, () => true)).toBe(1);
  });

  it('closes the sandbox if no client can be made, so that the process ends', async () => {
    const servers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    const before = servers();
    await expect(withClient({ sandbox: true, 'path-prefix': '/a?b' }, searchService, io(), failing)).rejects.toThrow('pathPrefix');
    await expect(withClient({ sandbox: true, 'timeout-ms': -1 }, searchService, io(), failing)).rejects.toThrow('timeoutMs');
    await vi.waitFor(() => expect(servers()).toBe(before));
  });

  it.each(['client_credentials', 'password'] as const)('needs no key on the sandbox, also for OAuth 2 with %s', async (grant) => {
    const work = async (): Promise<number> => 0;
    expect(await withClient({ sandbox: true }, withOAuth2({ address: '/token', grant }), io(), work)).toBe(0);
  });
});

function withOAuth2(oauth2: OAuth2Spec): Service {
  return defineService({
    name: 'own',
    key: { oauth2 },
    operations: {
      rows: defineOperation({ name: 'rows', path: '/rows', params: {}, response: ['string'], list: '', paging: { kind: 'none' } }),
    },
  });
}
