import { describe, expect, it } from 'vitest';
import { decodeResult, encodeResult } from '../../src/bullmq/Result.ts';
import { resultOf } from '../../src/bullmq/PageWorker.ts';
import { coreOf } from '../../src/client/coreOf.ts';
import type { RowSpan } from '../../src/client/spans/RowSpan.ts';
import { createClient } from '../../src/createClient.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { freePort } from '../freePort.ts';

describe('resultOf', () => {
  it.each([
    ['the leader reads', 'a-key-of-enough-letters', ['rating', 'review_id'], ['rating', 'review_id']],
    ['there are', 'a-key-of-enough-letters', true, undefined],
  ])('says where the values are that %s', async (_, apiKey, lazy, only) => {
    await using sandbox = await startSandbox({ apiKey });
    await using client = createClient({ baseUrl: sandbox.url, apiKey });
    const page = { id: 'a', stage: 'reviews', operation: 'mapsReviews', query: { data_id: 'place 2' }, lazy };
    const result = await resultOf(coreOf.get(client)!, client, page, () => undefined);
    const rows = ('response' in result ? result.response.spans!.rows : []) as readonly RowSpan[];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.page.only).toEqual(only);
  });

  it.each([
    ['nothing of the request arrived', undefined, { unread: true, kind: 'network' }],
    ['the key was not ready, so nothing was sent', () => Promise.reject(new Error('no key')), { unread: true, unsent: true, kind: 'auth' }],
  ])('tells the leader that %s', async (_, sign, expected) => {
    const books = defineOperation({
      get: '/books',
      params: {},
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
    });
    const service = defineService({ name: 'library', ...(sign !== undefined && { sign }), operations: { books } });
    await using client = createClient({ service, baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: 'a-key-of-enough-letters' });
    const page = { id: 'a', stage: 'books', operation: 'books', query: {} };
    const result = await resultOf(coreOf.get(client)!, client as never, page, () => undefined);
    const brought = decodeResult(encodeResult(result, (text) => text));
    expect('failure' in brought && brought.failure).toMatchObject(expected);
    expect(client.stats().requests).toBe(sign === undefined ? 1 : 0);
  });
});
