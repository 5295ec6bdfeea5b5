import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
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
});
