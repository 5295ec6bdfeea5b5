import { describe, expect, it } from 'vitest';
import { drawQueries } from '../../../src/flow/report/drawCurve.ts';
import { QueryCurves } from '../../../src/flow/state/QueryCurves.ts';

/** A thousand queries. Query 500 brings most, and every tenth nothing new. */
function curvesOf(): QueryCurves {
  const curves = new QueryCurves();
  for (let number = 0; number < 1000; number++) {
    const added = number === 500 ? 99 : number % 10 === 0 ? 0 : 1 + (number % 7);
    for (let page = 0; page < 3; page++)
      curves.add({ number, params: { query: `q${number}`, hl: 'en' } }, { added, again: 10 }, page === 2);
  }
  return curves;
}

describe('QueryCurves', () => {
  it('keeps a few queries of thousands: those with the most new rows, and those with the fewest', () => {
    const { queries, idle, most, least } = curvesOf().sums;
    expect({ queries, idle }).toEqual({ queries: 1000, idle: 99 });
    expect(most[0]).toMatchObject({ params: { query: 'q500' }, requests: 3, added: 297, again: 30 });
    expect(most.map(({ added }) => added)).toEqual([297, 21, 21, 21, 21, 21, 21, 21]);
    expect(least.map(({ added }) => added)).toEqual(Array.from({ length: 8 }, () => 0));
  });

  it('counts queries that are still going on, and forgets none that failed', () => {
    const curves = new QueryCurves();
    for (const number of [0, 1]) curves.add({ number, params: {} }, { added: 5, again: 0 }, false);
    curves.end(0);
    curves.end(7);
    expect(curves.sums).toMatchObject({ queries: 2, most: [{ added: 5 }, { added: 5 }] });
  });
});

describe('drawQueries', () => {
  it('names queries by the parameters that differ, and escapes them', () => {
    const curves = new QueryCurves();
    for (const [number, query] of ['<b>', 'tea'].entries())
      curves.add({ number, params: { query, hl: 'en' } }, { added: 1, again: 1 }, true);
    const drawing = drawQueries('a', curves.sums);
    expect(drawing).toContain('<bdi>&lt;b&gt;</bdi>');
    expect(drawing).toContain('<bdi>tea</bdi>');
    expect(drawing).not.toContain('en</bdi>');
  });

  it('draws nothing for one query', () => {
    const curves = new QueryCurves();
    curves.add({ number: 0, params: {} }, { added: 1, again: 1 }, true);
    expect(drawQueries('a', curves.sums)).toBe('');
  });
});
