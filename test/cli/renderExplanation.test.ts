import { describe, expect, it } from 'vitest';
import { renderExplanation } from '../../src/cli/commands/run.ts';

describe('renderExplanation', () => {
  it('says what is in flight and what waits for what', () => {
    const text = renderExplanation([
      { operation: 'mapsReviews', path: ['reviews', 'reviews.jsonl'], state: 'waits', for: 'the rate', count: 24, ms: 3200 },
      { operation: 'mapsSearch', path: [], state: 'in flight', count: 1, ms: 120 },
    ]);
    expect(text).toBe(
      'mapsReviews: 24 wait for the rate, the oldest for 3.2 s (reviews → reviews.jsonl)\nmapsSearch: 1 in flight, the oldest for 120 ms',
    );
    expect(renderExplanation([])).toBe('No request is in flight and none waits.');
  });
});
