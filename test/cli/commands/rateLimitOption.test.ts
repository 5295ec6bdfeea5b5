import { describe, expect, it } from 'vitest';
import { rateLimitOption } from '../../../src/cli/commands/sandbox.ts';

describe('rateLimitOption', () => {
  it('reads a rate a second and a window', () => {
    expect(rateLimitOption('5', false)).toEqual({ kind: 'bucket', perSecond: 5, retryAfter: false });
    expect(rateLimitOption('300/60s', true)).toEqual({ kind: 'window', requests: 300, perMs: 60_000, retryAfter: true });
    expect(rateLimitOption(undefined, false)).toBeUndefined();
  });

  it('refuses anything else', () => {
    expect(() => rateLimitOption('fast', false)).toThrow("not 'fast'");
    expect(() => rateLimitOption('5/60', false)).toThrow("not '5/60'");
    expect(() => rateLimitOption(undefined, true)).toThrow('needs --rate-limit');
  });
});
