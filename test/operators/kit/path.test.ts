import { describe, expect, it } from 'vitest';
import { valueAt, valuesAt } from '../../../operators/kit/path.ts';

describe('valueAt', () => {
  it.each<[unknown, string, unknown]>([
    [{ a: { b: [{ c: 1 }] } }, 'a.b.0.c', 1],
    [{ a: 1 }, 'a.b', undefined],
    [{ '@odata.nextLink': '/next' }, '@odata.nextLink', '/next'],
    [{ page: { '@odata.nextLink': '/next' } }, 'page.@odata.nextLink', '/next'],
    [{ 'a.b': null, a: { b: 1 } }, 'a.b', null],
    [{}, 'constructor.name', undefined],
    [
      {
        link: [
          { rel: 'self', url: '/a' },
          { rel: 'next', url: '/b' },
        ],
      },
      'link[rel=next].url',
      '/b',
    ],
    [{ link: [{ rel: 'self', url: '/a' }] }, 'link[rel=next].url', undefined],
    [{ link: { rel: 'next', url: '/b' } }, 'link[rel=next].url', undefined],
    [{ a: { link: [null, { n: 2, of: [{ is: 'x.y', at: 1 }] }] } }, 'a.link[n=2].of[is=x.y].at', 1],
  ])('of %j at %s is %j', (data, path, value) => expect(valueAt(data, path)).toBe(value));
});

describe('valuesAt', () => {
  it.each<[unknown, string, unknown[]]>([
    [{ a: [{ b: 1 }, { b: null }, {}, 3] }, 'a[].b', [1, null]],
    [{ a: [[1, 2], [3]] }, 'a[]', [[1, 2], [3]]],
    [{ a: { b: 1 } }, 'a[].b', []],
    [{ 'a[].b': 7, a: [{ b: 1 }] }, 'a[].b', [7]],
    [{ a: [{ 'b.c': 1 }, { b: { c: 2 } }] }, 'a[].b.c', [1, 2]],
    [{ a: [{ links: [{ rel: 'next', to: ['x', 'y'] }] }, { links: [] }] }, 'a[].links[rel=next].to[]', ['x', 'y']],
    [{ a: [{ rel: 'next' }] }, 'a[rel=next]', [{ rel: 'next' }]],
    [{ a: ['x'] }, 'a.length', [1]],
    ['text', 'length', []],
    [null, 'a', []],
  ])('of %j at %s are %j', (data, path, values) => expect(valuesAt(data, path)).toEqual(values));
});
