import { describe, expect, it } from 'vitest';
import { describeError } from '../../src/cli/describeError.ts';
import { UsageError } from '../../src/cli/UsageError.ts';
import { HttpError } from '../../src/errors/index.ts';

describe('describeError', () => {
  it('says what happened and what to do, without a stack', async () => {
    expect(await describeError(new UsageError('No.', { hint: 'Try yes.' }), {})).toBe('trawler: No.\n  Try yes.\n');
    expect(await describeError(new HttpError('webSearch: HTTP 404'), {})).toBe('trawler: webSearch: HTTP 404\n');
  });

  it('adds the cause where the message does not have it', async () => {
    expect(await describeError(new HttpError('it failed', { cause: new Error('reset') }), {})).toBe('trawler: it failed (reset)\n');
    expect(await describeError(new HttpError('it failed: reset', { cause: new Error('reset') }), {})).toBe('trawler: it failed: reset\n');
  });

  it('shows where an error comes from when TRAWLER_DEBUG is set, and says so for one that nobody foresaw', async () => {
    const slip = new TypeError('x is not a function');
    expect(await describeError(slip, {})).toBe(
      'trawler: TypeError: x is not a function\n  Set TRAWLER_DEBUG=1 to see where it comes from.\n',
    );
    expect(await describeError(slip, { TRAWLER_DEBUG: '1' })).toContain('describeError.test.ts');
  });

  it('spells out control characters, and keeps the lines of a list', async () => {
    expect(await describeError(new HttpError('one\n  two \u001b[2J'), {})).toBe('trawler: one\n  two \\u001b[2J\n');
    expect(await describeError('\u0007', {})).toBe('trawler: \\u0007\n');
  });
});
