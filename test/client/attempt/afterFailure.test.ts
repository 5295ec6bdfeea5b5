import { describe, expect, it } from 'vitest';
import { afterFailure, freeRetry, type Situation } from '../../../src/client/attempt/afterFailure.ts';
import type { AttemptFailure } from '../../../src/client/attempt/AttemptFailure.ts';
import { systemClock } from '../../../src/client/Clock.ts';
import { resolveOptions } from '../../../src/client/options/resolveOptions.ts';
import { searchService } from '../../../src/index.ts';

const { settings } = resolveOptions(searchService, {
  baseUrl: 'http://localhost:1',
  apiKey: 'k',
  clock: { ...systemClock, wall: () => 0, random: () => 0.5 },
});
const first: Situation = { repeatable: true, spentMs: 0, outageMs: undefined, tokens: 500 };

describe('afterFailure', () => {
  it.each<[string, Partial<AttemptFailure>, Partial<Situation & { readonly inRow: number; readonly ofKind: number }>, object]>([
    ['waits before a retry', {}, {}, { delayMs: 250, cost: 5 }],
    ['waits longer after several in a row', {}, { inRow: 3 }, { delayMs: 1000, cost: 5 }],
    ['leaves a told wait to the pause', { kind: 'busy', details: { retryAfterMs: 900 } }, {}, { delayMs: 0, cost: 0 }],
    ['takes nothing for a refusal of the rate', { kind: 'throttled' }, {}, { delayMs: 250, cost: 0 }],
    ['gives up what no retry helps', { kind: 'final' }, {}, { note: '' }],
    ['gives up after maxAttempts', {}, { inRow: 5 }, { note: ', 5 times' }],
    ['gives up after the retries of its kind', { kind: 'unreadable' }, { ofKind: 3, inRow: 3 }, { note: ', 3 times' }],
    ['does not repeat what may have arrived', {}, { repeatable: false }, { note: expect.stringContaining('may have arrived') }],
    ['repeats what was not read', { unread: true }, { repeatable: false }, { delayMs: 250, cost: 5 }],
    ['gives up in a long outage', {}, { outageMs: 90_000 }, { note: expect.stringContaining('for 90 s') }],
    ['gives up when the time is over', {}, { spentMs: 600_000 }, { note: expect.stringContaining('retry.totalMs') }],
    ['gives up when the quota is used up', {}, { tokens: 4 }, { tooMany: true }],
    ['gives up a quota without an end', { kind: 'quota' }, {}, { note: '' }],
    ['passes on a wait that is too long', { details: { retryAfterMs: 1e9 } }, {}, { failure: { details: { pausedUntil: 1e9 } } }],
  ])('%s', (_, failure, { inRow = 1, ofKind = 1, ...situation }, expected) => {
    const failed: AttemptFailure = { kind: 'network', error: 'NetworkError', what: 'the connection failed', ...failure };
    const before = { inRow, ofKind: { [failed.kind]: ofKind } };
    expect(afterFailure(failed, before, { ...first, ...situation }, settings)).toMatchObject(expected);
  });
});

describe('freeRetry', () => {
  it.each([
    [{ stale: true }, {}, true, 'resent'],
    [{ stale: true }, { resent: true }, true, undefined],
    [{ stale: true }, {}, false, undefined],
    [{ renewed: true }, {}, false, 'renewed'],
    [{ renewed: true }, { renewed: true }, true, undefined],
    [{}, {}, true, undefined],
  ])('%j, %j, %j: %j', (failure, before, repeatable, expected) => {
    const failed: AttemptFailure = { kind: 'network', error: 'NetworkError', what: '', ...failure };
    expect(freeRetry(failed, { resent: false, renewed: false, ...before }, repeatable)).toBe(expected);
  });
});
