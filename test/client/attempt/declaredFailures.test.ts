import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RetryOptions } from '../../../src/client/ClientOptions.ts';
import { defineOperation, defineService, type FailureSpec } from '../../../src/contract/index.ts';
import { failWith, fakeClient } from '../../../src/testing/index.ts';

const search = defineOperation({
  name: 'search',
  get: '/search',
  about: 'Books.',
  params: { q: { type: 'string', required: true, about: 'Words.' } },
  response: { results: [{ id: 'string' }] },
  rows: 'results',
});
const books = (failures?: readonly FailureSpec[]) => defineService({ name: 'books', operations: { search }, failures });

const attemptsOf = async (status: number, failures: readonly FailureSpec[] | undefined, retry: RetryOptions = {}): Promise<unknown> => {
  const respond = (): never => {
    throw failWith(status);
  };
  const { client } = fakeClient(books(failures), respond, { retry: { maxAttempts: 3, baseMs: 0, ...retry } });
  const error = await firstValueFrom(client.search({ q: 'a' })).catch((thrown: unknown) => thrown);
  await client.close();
  const { name, kind, attempts } = error as { readonly name: string; readonly kind: string; readonly attempts: number };
  return [name, kind, attempts];
};

describe('what a status means', () => {
  it('is as usual, else as the service declares it, else as the user says', async () => {
    const declared = [{ status: 520, means: 'busy' }] as const;
    expect(await attemptsOf(520, undefined)).toEqual(['HttpError', 'away', 1]);
    expect(await attemptsOf(520, declared)).toEqual(['HttpError', 'busy', 3]);
    expect(await attemptsOf(520, declared, { statuses: { 520: 'final' } })).toEqual(['HttpError', 'final', 1]);
    expect(await attemptsOf(500, undefined, { statuses: { 500: 'final' } })).toEqual(['HttpError', 'final', 1]);
    expect(await attemptsOf(418, undefined, { statuses: { 418: 'auth' } })).toEqual(['AuthError', 'auth', 1]);
    expect(await attemptsOf(418, undefined, { statuses: { 418: 'throttled' } })).toEqual(['RateLimitError', 'throttled', 3]);
  });

  it.each([
    [{ status: 520, means: 'maybe' }, "failures[0].means must be 'busy', 'throttled', 'quota', 'empty', 'final' or 'auth', not 'maybe'"],
    [{ means: 'busy' }, 'failures[0] must have a status, or a place (at)'],
    [{ satus: 500, means: 'busy' }, "there is no field 'failures[0].satus'; did you mean 'failures[0].status'?"],
    [{ status: '500', means: 'busy' }, "failures[0].status must be a whole number from 200 to 999, not '500'"],
    [{ at: '', means: 'busy' }, "failures[0].at must be a dotted path, or 'header:' and a name, not ''"],
    [{ at: 'header:a b', means: 'busy' }, "failures[0].at must be a dotted path, or 'header:' and a name, not 'header:a b'"],
    [{ status: 200, is: 'x', means: 'busy' }, 'failures[0] has is, but no place (at) where to look for it'],
    [{ status: 429, means: 'quota', until: {} }, "failures[0].until must be a dotted path, or 'header:' and a name, not {}"],
  ])('is refused as %j', (failure, message) => {
    expect(() => books([failure as never])).toThrow(`defineService(books): ${message}`);
  });
});
