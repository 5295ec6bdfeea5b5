import { describe, expect, it } from 'vitest';
import { areaOf } from '../../../operators/split/areaOf.ts';
import { AreaCover } from '../../../operators/split/AreaCover.ts';
import { mapX, mapY } from '../../../operators/split/Area.ts';

describe('AreaCover', () => {
  it('divides an area by the least sight where each search of its lesson but the first has failed', () => {
    const cover = new AreaCover(areaOf('test', [13, 52, 14, 53]), { zoom: [3, 20], full: 20, pageSize: 20 });
    const rows = Array.from({ length: 20 }, (_, id) => ({ id, x: mapX(13.2 + id / 100), y: mapY(52.2 + id / 100) }));
    cover.done(cover.next()!, { rows, count: rows.length });
    let lessons = 0;
    while (cover.role === 'lesson' && lessons < 50) {
      lessons += 1;
      cover.done(cover.next()!, null);
    }
    expect([lessons > 1, cover.unfit, cover.left]).toEqual([true, undefined, []]);
    expect(cover.next()).toBeDefined();
  });
});
