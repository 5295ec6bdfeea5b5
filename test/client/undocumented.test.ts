import { describe, expect, expectTypeOf, it } from 'vitest';
import { undocumented } from '../../src/client/undocumented.ts';

describe('undocumented', () => {
  it('is the same object, with its other fields available', () => {
    const row = JSON.parse('{"title":"a","more":1}') as { readonly title: string };
    const open = undocumented(row);
    expect(open).toBe(row);
    expect(open['more']).toBe(1);
    expectTypeOf(open.title).toEqualTypeOf<string>();
    expectTypeOf(open['more']).toEqualTypeOf<unknown>();
  });
});
