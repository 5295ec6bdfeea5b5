import type { Position } from './Area.ts';

/** Rejects a position that isn't on the earth, and says so if its two numbers must have been swapped. */
export function checkPosition(position: Position, refuse: (problem: string) => never): void {
  const [longitude, latitude] = position as [number, number];
  if (!Array.isArray(position) || !Number.isFinite(longitude) || !Number.isFinite(latitude)) {
    refuse(`holds a position that isn't [longitude, latitude]: ${JSON.stringify(position)}`);
  }
  if (Math.abs(latitude) > 90 && Math.abs(longitude) <= 90) {
    refuse(`has longitude and latitude swapped: longitude comes first, so [${longitude}, ${latitude}] must be [${latitude}, ${longitude}]`);
  }
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 360) {
    refuse(`holds a position that is nowhere on the earth: [${longitude}, ${latitude}]`);
  }
}
