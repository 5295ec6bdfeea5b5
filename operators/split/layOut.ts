import { type MapBox, pixelAt } from './Area.ts';
import type { Sight, View } from './Reach.ts';

/** A rectangle of the map, and the zoom at which a search from its centre sees all of it. */
export interface AreaTile extends View {
  /** Half as wide and half as high as the tile. */
  readonly across: number;
  readonly down: number;
}

/** A tile of a plan. */
export interface Tile extends AreaTile {
  /** The layout of the tree that it belongs to. */
  readonly layout: number;
  /** In a sample: how many tiles it stands for. */
  readonly stands?: number | undefined;
}

/** For a sample: which of some tiles to search, each for how many. */
export type PickTiles = (tiles: readonly Tile[]) => readonly Tile[];

/** Divides a rectangle into tiles as large as a search sees: one for all of it, or several if even the lowest zoom doesn't show it. */
export function layOut({ left, top, right, bottom }: MapBox, sight: Sight, [min, max]: readonly [number, number]): AreaTile[] {
  const fits = Math.min((2 * sight.across) / 256 / (right - left), (2 * sight.down) / 256 / (bottom - top));
  const zoom = Math.max(min, Math.min(max, Math.floor(Math.log2(fits) + 1e-9)));
  const [across, down] = [sight.across * pixelAt(zoom), sight.down * pixelAt(zoom)];
  const columns = Math.ceil((right - left) / across / 2 - 1e-9);
  const rows = Math.ceil((bottom - top) / down / 2 - 1e-9);
  const [x, y] = [(left + right) / 2 - (columns - 1) * across, (top + bottom) / 2 - (rows - 1) * down];
  return Array.from({ length: columns * rows }, (_, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    return { x: x + 2 * column * across, y: y + 2 * row * down, across, down, zoom };
  });
}

export function boxOf({ x, y, across, down }: Pick<AreaTile, 'x' | 'y' | 'across' | 'down'>): MapBox {
  return { left: x - across, right: x + across, top: y - down, bottom: y + down };
}

/** The four quarters of a tile, one zoom level deeper. */
export function quarters({ x, y, across, down, zoom }: AreaTile): AreaTile[] {
  const [right, below] = [across / 2, down / 2];
  return [-1, 1].flatMap((one) =>
    [-1, 1].map((other) => ({ x: x + one * right, y: y + other * below, across: right, down: below, zoom: zoom + 1 })),
  );
}
