import { describe, expect, it } from 'vitest';
import { QuadTree } from '../../../operators/split/Area.ts';
import { seeded } from '../../files/seeded.ts';

describe('QuadTree', () => {
  it('finds the points of any rectangle, borders included, however many share a position', () => {
    const random = seeded(1);
    const tree = new QuadTree<{ x: number; y: number }>(-0.3);
    const points = Array.from({ length: 2000 }, (_, index) => {
      const crowd = index % 5 === 0;
      return { x: crowd ? 0.25 : -0.3 + Math.floor(random() * 512) / 512, y: crowd ? 0.5 : Math.floor(random() * 512) / 512 };
    });
    for (const point of points) tree.add(point);
    for (let index = 0; index < 500; index++) {
      const size = 2 ** -Math.floor(random() * 10);
      const box = { x: -0.3 + Math.floor(random() * 512) / 512, y: Math.floor(random() * 512) / 512, across: size, down: size / 2 };
      const expected = points.filter(({ x, y }) => Math.abs(x - box.x) <= box.across && Math.abs(y - box.y) <= box.down);
      expect(new Set(tree.within(box))).toEqual(new Set(expected));
    }
  });
});
