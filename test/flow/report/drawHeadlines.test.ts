import { describe, expect, it } from 'vitest';
import { drawHeadlines } from '../../../src/flow/report/drawHeadlines.ts';

describe('drawHeadlines', () => {
  it('writes money beside its lines with its decimals, and whole numbers without', () => {
    const drawn = (...values: readonly number[]): string =>
      drawHeadlines([{ kind: 'series', title: 'prices', over: ['1', '2'], lines: [{ name: 'tea', values }], more: 0 }]);
    expect(drawn(23.45, 1024.85)).toMatch(/: 23\.45 to 1,024\.85<.*>23\.45<.*>1,024\.85</s);
    expect(drawn(3, 9)).toMatch(/: 3 to 9<.*>3<.*>9</s);
  });
});
