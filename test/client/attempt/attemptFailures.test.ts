import { describe, expect, it } from 'vitest';
import { failurePolicy } from '../../../src/client/attempt/failurePolicy.ts';
import { statusFailure } from '../../../src/client/attempt/attemptFailures.ts';

describe('statusFailure', () => {
  it.each([
    ['{"error":{"type":"invalid","message":"no such place"}}', 'HTTP 400; the service says "no such place"'],
    ['{"errors":[{"detail":"ll is missing"}]}', 'HTTP 400; the service says "ll is missing"'],
    ['{"status":"error","message":"bad query"}', 'HTTP 400; the service says "bad query"'],
    ['{"odd":1}', 'HTTP 400; the service says "{"odd":1}"'],
    ['no JSON', 'HTTP 400; the service says "no JSON"'],
    ['{"cut', 'HTTP 400; the service says "{"cut"'],
  ])('says what a refusal says: %s', (body, what) => {
    const context = { headers: {}, body: Buffer.from(body), wall: 0, policy: failurePolicy(), worked: true, refused: { noneLeft: false } };
    expect(statusFailure({ kind: 'notJson' }, { status: 400, ...context }).what).toBe(what);
  });

  it('suspects the address of a 404 only as long as nothing has ever worked', () => {
    const failure = (worked: boolean) =>
      statusFailure(
        { kind: 'notJson' },
        {
          status: 404,
          url: 'https://a.example/v1/ticket/find?q=x',
          headers: {},
          body: Buffer.from(''),
          wall: 0,
          policy: failurePolicy(),
          worked,
          refused: { noneLeft: false },
        },
      ).advice;
    expect(failure(false)).toBe(
      'check baseUrl and pathPrefix, and in a service of your own the get or post of the operation: ' +
        'https://a.example/v1/ticket/find was asked',
    );
    expect(failure(true)).toBeUndefined();
  });
});
