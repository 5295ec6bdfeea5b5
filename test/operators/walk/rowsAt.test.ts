import { describe, expect, it } from 'vitest';
import { rowsAt } from '../../../operators/walk/rowsAt.ts';

describe('rowsAt', () => {
  it('gives the list at a dotted path', () => {
    expect(rowsAt({ a: { b: [{ c: 1 }] } }, 'a.b')).toEqual({ list: 'present', items: [{ c: 1 }] });
    expect(rowsAt({ a: [] }, 'a')).toEqual({ list: 'present', items: [] });
  });

  it('gives the data itself as the one row for null', () => {
    expect(rowsAt({ a: 1 }, null)).toEqual({ list: 'present', items: [{ a: 1 }] });
  });

  it.each([[{}], [null], ['text'], [{ a: null }], [{ a: {} }], [{ a: { b: 'x' } }], [{ a: [] }]])('finds no list in %j', (data) => {
    expect(rowsAt(data, 'a.b')).toEqual({ list: 'absent', items: [] });
  });

  it("doesn't mistake an inherited name for a list", () => {
    expect(rowsAt({}, 'constructor.prototype')).toEqual({ list: 'absent', items: [] });
    expect(rowsAt(JSON.parse('{"__proto__":[{}]}'), '__proto__')).toEqual({ list: 'present', items: [{}] });
  });
});
