/** A rectangle of the map: its centre, and half of its width and height. */
export interface MapTile {
  readonly x: number;
  readonly y: number;
  readonly across: number;
  readonly down: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A square of the map: its points, or four smaller squares. */
interface Node<T> {
  points: T[];
  parts: Node<T>[] | undefined;
}

/** More points than this are divided among four smaller squares. */
const crowd = 16;
/** Points this close stay together: the map's side divided by 2 this often. */
const deepest = 28;

/** Points of the map, found by rectangle. `x` may be anywhere from `left` up to `left + 1`. */
export class QuadTree<T extends Point> {
  private readonly left: number;
  private readonly root: Node<T> = { points: [], parts: undefined };

  constructor(left: number) {
    this.left = left;
  }

  add(point: T): void {
    let node = this.root;
    let depth = 0;
    for (; node.parts !== undefined; depth++) node = node.parts[this.partOf(point, depth)]!;
    node.points.push(point);
    if (node.points.length <= crowd || depth >= deepest) return;
    const { points } = node;
    node.points = [];
    node.parts = [0, 1, 2, 3].map(() => ({ points: [], parts: undefined }));
    for (const each of points) node.parts[this.partOf(each, depth)]!.points.push(each);
  }

  /** The points of a rectangle, borders included. */
  *within({ x, y, across, down }: MapTile): Generator<T, void, undefined> {
    const waiting = [{ node: this.root, left: this.left, top: 0, size: 1 }];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { node, left, top, size } = at;
      if (left > x + across || left + size < x - across || top > y + down || top + size < y - down) continue;
      for (const point of node.points) if (Math.abs(point.x - x) <= across && Math.abs(point.y - y) <= down) yield point;
      const half = size / 2;
      node.parts?.forEach((part, index) =>
        waiting.push({ node: part, left: left + (index & 1) * half, top: top + (index >> 1) * half, size: half }),
      );
    }
  }

  /** Which of the four squares of a square at this depth has the point. */
  private partOf({ x, y }: Point, depth: number): number {
    const squares = 2 ** (depth + 1);
    return (Math.floor((x - this.left) * squares) & 1) + 2 * (Math.floor(y * squares) & 1);
  }
}
