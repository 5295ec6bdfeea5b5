import { describe, expect, it } from 'vitest';
import { failurePolicy } from '../../../src/client/attempt/failurePolicy.ts';
import { statusFailure } from '../../../src/client/attempt/attemptFailures.ts';

describe('statusFailure', () => {
  it('suspects the address of a 404 only as long as nothing has ever worked', () => {
    const failure = (worked: boolean) =>
      statusFailure(
        { kind: 'notJson' },
        { status: 404, headers: {}, body: Buffer.from(''), wall: 0, policy: failurePolicy(), worked, refused: { noneLeft: false } },
      ).advice;
    expect(failure(false)).toBe('check baseUrl and pathPrefix');
    expect(failure(true)).toBeUndefined();
  });
});
