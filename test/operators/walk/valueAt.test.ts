import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../operators/walk/valueAt.ts';

describe('valueAt', () => {
  it.each<[unknown, string, unknown]>([
    [{ a: { b: [{ c: 1 }] } }, 'a.b.0.c', 1],
    [{ a: 1 }, 'a.b', undefined],
    [{ '@odata.nextLink': '/next' }, '@odata.nextLink', '/next'],
    [{ page: { '@odata.nextLink': '/next' } }, 'page.@odata.nextLink', '/next'],
    [{ 'a.b': null, a: { b: 1 } }, 'a.b', null],
    [{}, 'constructor.name', undefined],
  ])('of %j at %s is %j', (data, path, value) => expect(valueAt(data, path)).toBe(value));
});
