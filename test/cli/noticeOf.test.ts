import { describe, expect, it } from 'vitest';
import { noticeOf } from '../../src/cli/commands/call.ts';
import { TimeoutError } from '../../src/errors/index.ts';

const base = { operation: 'webSearch', query: {}, at: 0 };

describe('noticeOf', () => {
  it.each([
    [
      { ...base, type: 'retry', id: 1, attempt: 1, delayMs: 1500, error: new TimeoutError('webSearch: no response within 60 s') },
      'webSearch: no response within 60 s; trying again in 1.5 s.',
    ],
    [{ ...base, type: 'throttle', status: 429, pauseMs: 12_000, rate: 1 }, 'The service asks for a pause of 12.0 s.'],
    [{ ...base, type: 'throttle', status: 429, pauseMs: 0, rate: 1 }, undefined],
    [{ ...base, type: 'throttle', status: 200, pauseMs: 250, rate: 1 }, undefined],
    [
      { ...base, type: 'ignored', header: 'x-ratelimit-reset', value: '9999999999' },
      "The service sends the header x-ratelimit-reset: 9999999999. That can't be true, so it is ignored.",
    ],
    [{ ...base, type: 'outage', state: 'tooLong', lastedMs: 120_000 }, 'No request has got through for 120.0 s. What waits for one fails.'],
    [
      {
        ...base,
        type: 'drift',
        skipped: 0,
        issues: [
          { path: 'a.b', message: 'expected a list' },
          { path: 'c', message: 'x' },
        ],
      },
      "webSearch: the response isn't as documented: a.b: expected a list and 1 more.",
    ],
    [{ ...base, type: 'unread', list: 'ads', items: 3 }, "webSearch: the response's rows (3) are in 'ads': --rows ads reads them."],
    [
      { ...base, type: 'capped', limit: 'maxPages', pages: 1, items: 20, nextCursor: 'abc\u001b' },
      'webSearch: capped after 1 page (20 rows). The next page is at abc\\u001b.',
    ],
    [{ ...base, type: 'request', id: 1, attempt: 1 }, undefined],
  ] as const)('makes a line of what matters: %o', (event, line) => {
    expect(noticeOf(event)).toBe(line);
  });
});
