import { describe, expect, it } from 'vitest';
import { statusFailure } from '../../../src/client/attempt/attemptFailures.ts';
import { failurePolicy } from '../../../src/client/attempt/failurePolicy.ts';
import { adviceFor } from '../../../src/flow/report/failuresByKind.ts';
import { failureKind } from '../../../src/flow/report/index.ts';

describe('failureKind', () => {
  it('is the same for failures that differ in query, ids and large figures only', () => {
    const one = failureKind('mapsReviews {"data_id":"0x1:0x2","n":{"a":1}}: HTTP 404; request 0f3a9b1c-1a2b-4c3d, 12345 bytes');
    expect(one).toBe('HTTP 404; request …, … bytes');
    expect(failureKind('mapsReviews {"data_id":"} {"}: HTTP 404; request 1f3a9b1c-1a2b-4c3e, 99999 bytes')).toBe(one);
  });

  it('tells others apart', () => {
    expect(failureKind('a: HTTP 404')).not.toBe(failureKind('a: HTTP 500'));
  });
});

describe('adviceFor', () => {
  it.each([
    [404, 'The id in the query is wrong or gone.'],
    [403, 'does not accept the key'],
    [422, 'refuses the query as it is'],
    [429, 'allows fewer requests'],
    [503, 'did not answer'],
  ])('says what a %i means for a query, as the client says it', (status, advice) => {
    const context = { headers: {}, body: Buffer.from(''), wall: 0, policy: failurePolicy(), worked: true, refused: { noneLeft: false } };
    const { what } = statusFailure({ kind: 'notJson' }, { status, ...context });
    expect(adviceFor(`mapsReviews {"data_id":"x"}: ${what}`)).toContain(advice);
  });
});
