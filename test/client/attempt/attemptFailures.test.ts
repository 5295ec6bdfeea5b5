import { describe, expect, it } from 'vitest';
import { failurePolicy } from '../../../src/client/attempt/failurePolicy.ts';
import { statusFailure } from '../../../src/client/attempt/attemptFailures.ts';

describe('statusFailure', () => {
  it('suspects the address of a 404 only as long as nothing has ever worked', () => {
    const failure = (worked: boolean) =>
      statusFailure(404, {}, Buffer.from(''), 0, { envelope: undefined, policy: failurePolicy(), worked }).advice;
    expect(failure(false)).toBe('check baseUrl and pathPrefix');
    expect(failure(true)).toBeUndefined();
  });
});
