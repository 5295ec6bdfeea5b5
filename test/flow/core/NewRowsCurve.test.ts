import { describe, expect, it } from 'vitest';
import { NewRowsCurve } from '../../../src/flow/core/RowSightings.ts';

describe('NewRowsCurve', () => {
  it('has a part for each request', () => {
    const curve = new NewRowsCurve(4);
    curve.add(20, 0);
    curve.add(5, 15);
    expect(curve.parts).toEqual([
      { requests: 1, added: 20, again: 0 },
      { requests: 1, added: 5, again: 15 },
    ]);
  });

  it('loses no row when two parts become one, and never has more of them', () => {
    const curve = new NewRowsCurve(8);
    for (let request = 0; request < 1003; request++) {
      curve.add(2, 3);
      expect(curve.parts.length).toBeLessThanOrEqual(8);
    }
    const all = (name: 'requests' | 'added' | 'again'): number => curve.parts.reduce((sum, part) => sum + part[name], 0);
    expect([all('requests'), all('added'), all('again')]).toEqual([1003, 2006, 3009]);
    expect(new Set(curve.parts.slice(0, -1).map(({ requests }) => requests)).size).toBe(1);
  });
});
