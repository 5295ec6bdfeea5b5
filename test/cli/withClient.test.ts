import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { defineOperation, defineService, type Service } from '../../src/contract/index.ts';
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

  it.each(['${key}', '${secret.user}'])('needs no secret on the sandbox, also for a token that is requested with %s', async (word) => {
    const work = async (): Promise<number> => 0;
    expect(await withClient({ sandbox: true }, withToken(word), io(), work)).toBe(0);
  });
});

function withToken(word: string): Service {
  return defineService({
    name: 'own',
    headers: { authorization: 'Bearer ${token}' },
    token: { post: '/token', form: { word }, at: 'access_token' },
    operations: {
      rows: defineOperation({ name: 'rows', get: '/rows', params: {}, response: ['string'], rows: '' }),
    },
  });
}
