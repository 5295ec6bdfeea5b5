import type { TileNews } from '../split/tileNews.ts';

const mostTiles = 3000;
const mostDots = 6000;

/** The data for the map of a stage. It is bounded, so a large area keeps only its first tiles and rows. */
export class MapSketch {
  readonly tiles: Omit<TileNews, 'dots'>[] = [];
  readonly dots: (readonly [x: number, y: number])[] = [];

  add({ dots, ...tile }: TileNews): void {
    if (tile.rows !== undefined && this.tiles.length < mostTiles) this.tiles.push(tile);
    this.dots.push(...dots.slice(0, mostDots - this.dots.length));
  }
}
