import { describe, expect, it } from 'vitest';
import { EnvelopeError, HttpError } from '../../src/errors/index.ts';
import { EndedQueries } from '../../src/flow/run/FailureHandling.ts';

const busy = new HttpError('HTTP 503', { status: 503, kind: 'busy' });
const gone = new HttpError('HTTP 404', { status: 404, kind: 'final' });
const odd = new EnvelopeError('code 7', { code: 7, kind: 'unknownCode' });

const acts = {
  page: (counts: EndedQueries) => counts.served(true),
  busy: (counts: EndedQueries) => counts.postponed(busy),
  gone: (counts: EndedQueries) => counts.failed(gone),
  worn: (counts: EndedQueries) => counts.failed(busy),
  odd: (counts: EndedQueries) => counts.failed(odd),
  up: (counts: EndedQueries) => counts.served(false),
};

interface Case {
  readonly title: string;
  /** What happens, and how often. */
  readonly history: readonly (readonly [what: keyof typeof acts, times: number])[];
  readonly earlier?: number;
  readonly tooMany?: RegExp;
}

const cases: readonly Case[] = [
  { title: 'a few failures among pages', history: [['page', 20], ['gone', 10], ['busy', 19]] },
  { title: 'five before anything came', history: [['busy', 5]], tooMany: /^nothing has come, and queries have failed 5 times. The last error: HTTP 503$/ },
  { title: 'four before anything came', history: [['gone', 4]] },
  { title: 'five of two kinds before anything came', history: [['gone', 3], ['odd', 2]], tooMany: /nothing has come/ },
  { title: 'five that do not pass in a run that resumes', history: [['gone', 5]], earlier: 50 },
  { title: 'five that may pass in a run that resumes', history: [['busy', 5]], earlier: 50, tooMany: /the last 5 queries/ },
  { title: 'twenty in a row that may pass', history: [['page', 1], ['busy', 20]], tooMany: /the last 20 queries all failed for a reason that may pass: HTTP 503/ },
  { title: 'twenty of which the last ones were their second try', history: [['page', 1], ['busy', 10], ['worn', 10]], tooMany: /the last 20 queries/ },
  { title: 'twenty that may pass, with a page between', history: [['page', 1], ['busy', 10], ['page', 1], ['busy', 10]] },
  { title: 'twenty in a row before a page', history: [['page', 1], ['busy', 20], ['up', 1]] },
  { title: 'more than the share that may fail', history: [['page', 10], ['gone', 11]], tooMany: /11 of 21 queries have failed, .*failAbove \(0\.5\)/ },
  { title: 'the share of what ended in all runs, once the service responds', history: [['up', 1], ['gone', 25]], earlier: 50 },
  { title: 'the share of this run alone, while nothing came', history: [['gone', 20]], earlier: 50, tooMany: /20 of 20/ },
]; // prettier-ignore

describe('EndedQueries', () => {
  it.each(cases)('sees $title', ({ history, earlier = 0, tooMany }) => {
    const counts = new EndedQueries({ limit: 0.5, earlier, cameEarlier: earlier > 0 });
    for (const [what, times] of history) for (let time = 0; time < times; time++) acts[what](counts);
    expect(counts.tooMany ?? '').toMatch(tooMany ?? /^$/);
  });
});
