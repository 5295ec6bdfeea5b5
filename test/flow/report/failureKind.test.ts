import { describe, expect, it } from 'vitest';
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
