import { failuresByKind } from '../../../src/flow/report/failuresByKind.ts';
import type { ReportData } from '../../../src/flow/report/RunRecorder.ts';
import { stageProgress } from './stageProgress.ts';

const startedAt = Date.UTC(2026, 4, 1, 9, 30);

/** A query of a stage that failed with an error of this name and message. */
export function failedQuery(
  stage: string,
  name: string,
  message: string,
): Parameters<typeof failuresByKind>[0] extends Iterable<infer F> ? F : never {
  return { query: { stage }, failure: { at: 0, name, message } };
}

/** A run that has a bit of everything: limits, failures, hostile text. Deterministic. */
export function exampleReport(): ReportData {
  const failures = failuresByKind([
    failedQuery('reviews', 'EnvelopeError', 'mapsReviews: the response has code 5001 </script><script>alert(1)</script>'),
    failedQuery('reviews', 'EnvelopeError', 'mapsReviews {"data_id":"0x9"}: the response has code 5001 </script><script>alert(1)</script>'),
    failedQuery(
      'photos',
      'TimeoutError',
      'mapsPhotos: no response within 60000 ms, after 5 attempts; query {"data_id":"0x1:0x3"}. Run it again.',
    ),
  ]);
  const titles = ['Café “Zur Ümlaut”', '=HYPERLINK("http://evil")', 'two\nlines', '\u202Eturned round', '<img src=x onerror=alert(1)>'];
  const places = titles.map((title, index) => [
    index + 1,
    title,
    `${index} Main Street, Springfield`,
    4.5,
    40.7,
    -73.9,
    ['Café', 'Bakery'],
    'https://example.com/',
  ]);
  const reviews = titles.map((title, index) => [title, index + 1, 'A long remark. '.repeat(index * 3), 'Ann', null]);
  return {
    type: 'summary',
    digest: 'd',
    outDir: 'out',
    already: false,
    name: 'coffee <b>&</b> tea',
    startedAt,
    endedAt: startedAt + 64_200,
    outcome: 'failed',
    because: '3 queries failed and are on record in failures.jsonl: run the flow with --failures to try them again.',
    requests: 2012,
    retries: 57,
    throttled: 51,
    stages: [
      stageProgress('places', {
        call: 'mapsSearch',
        each: ['cities.csv'],
        done: 10,
        pages: 50,
        rows: 980,
        outcome: 'capped',
        to: ['places.csv'],
      }),
      stageProgress('reviews', {
        call: 'mapsReviews',
        each: ['places'],
        done: 978,
        failed: 2,
        pages: 1730,
        rows: 34_512,
        outcome: 'failed',
        to: ['reviews.jsonl', 'reviews.csv'],
        keep: ['place'],
      }),
      stageProgress('photos', {
        call: 'mapsPhotos',
        each: ['places'],
        done: 979,
        failed: 1,
        pages: 979,
        rows: 9790,
        outcome: 'complete',
        to: ['photos.jsonl'],
      }),
      stageProgress('a stage whose name is much too long for its box', {
        each: ['reviews', 'photos'],
        done: 4,
        waiting: 12,
        pages: 4,
        rows: 40,
      }),
    ],
    files: [
      { path: 'places.csv', rows: 980, bytes: 412_331, sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
      {
        path: 'reviews.jsonl',
        rows: 34_512,
        bytes: 38_412_331,
        sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      },
      { path: 'photos.jsonl', rows: 9790, bytes: 1_412_331 },
    ],
    failures,
    previews: new Map([
      [
        'places',
        {
          columns: ['position', 'title', 'address', 'rating', 'gps_coordinates.latitude', 'gps_coordinates.longitude', 'types', 'website'],
          rows: places,
        },
      ],
      ['reviews', { columns: ['place', 'rating', 'snippet', 'user.name', 'response'], rows: reviews }],
    ]),
  };
}
