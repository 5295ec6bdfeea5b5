import { describe, expect, it } from 'vitest';
import { failuresByKind } from '../../../src/flow/report/index.ts';
import { failedQuery as failed } from './exampleReport.ts';

describe('failuresByKind', () => {
  it('counts the commonest first, with the first message and the stages', () => {
    const all = [
      failed('places', 'HttpError', 'first'),
      failed('photos', 'TimeoutError', 'mapsPhotos {"data_id":"0x1"}: slow'),
      failed('photos', 'TimeoutError', 'mapsPhotos {"data_id":"0x2"}: slow'),
      failed('posts', 'TimeoutError', 'mapsPosts {"data_id":"0x3"}: slow'),
    ];
    expect(failuresByKind(all)).toEqual([
      { name: 'TimeoutError', kind: 'slow', count: 3, example: 'mapsPhotos {"data_id":"0x1"}: slow', stages: ['photos', 'posts'] },
      { name: 'HttpError', kind: 'first', count: 1, example: 'first', stages: ['places'] },
    ]);
  });

  it('stays small, whatever failed', () => {
    const kinds = failuresByKind(Array.from({ length: 5000 }, (_, index) => failed('s', `Error${index}`, 'x'.repeat(2000))));
    expect([kinds.length, kinds[0]?.example.length]).toEqual([40, 500]);
  });
});
