import { positions } from '../../../operators/split/spotsOf.ts';
import type { Spotted } from '../../../operators/split/Reach.ts';

/** Bytes of a spot: its id, and where it lies. */
const size = 16;

/** Where rows lie, in base64. */
export function textOfSpots(spots: readonly Spotted[]): string {
  const bytes = Buffer.alloc(spots.length * size);
  spots.forEach(({ id, x, y }, index) => {
    bytes.writeDoubleLE(id, index * size);
    bytes.writeUInt32LE(x * positions, index * size + 8);
    bytes.writeUInt32LE(y * positions, index * size + 12);
  });
  return bytes.toString('base64');
}

export function spotsIn(base64: string): Spotted[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / size }, (_, index) => ({
    id: bytes.readDoubleLE(index * size),
    x: bytes.readUInt32LE(index * size + 8) / positions,
    y: bytes.readUInt32LE(index * size + 12) / positions,
  }));
}
