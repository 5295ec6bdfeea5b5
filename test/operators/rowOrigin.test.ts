import { describe, expect, it } from 'vitest';
import { originOf, setOrigin, type RowOrigin } from '../../operators/index.ts';

const origin: RowOrigin = { operation: 'mapsReviews', columns: [] };
const other: RowOrigin = { operation: 'mapsSearch', columns: [] };

describe('setOrigin', () => {
  it('leaves what others see of a row as it was', () => {
    const row = { rating: 5 };
    setOrigin(row, origin);
    expect(Reflect.ownKeys(row)).toEqual(['rating']);
    expect(JSON.stringify(row)).toBe('{"rating":5}');
    expect(structuredClone(row)).toEqual({ rating: 5 });
  });

  it('survives copies, and is replaced by the next call', () => {
    const row = { rating: 5 };
    setOrigin(row, origin);
    expect(originOf({ ...row })).toBeUndefined();
    setOrigin(row, other);
    expect(originOf(row)).toBe(other);
  });

  it('works for frozen rows and for lists, and passes over what is no object', () => {
    const frozen = Object.freeze({ rating: 5 });
    const list = [1];
    for (const row of [frozen, list, null, 'text', undefined]) setOrigin(row, origin);
    expect([frozen, list, null, 'text', undefined].map(originOf)).toEqual([origin, origin, undefined, undefined, undefined]);
  });
});
