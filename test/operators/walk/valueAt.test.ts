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
