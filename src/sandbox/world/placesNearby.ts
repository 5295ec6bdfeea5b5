import { type WorldPlace, placeOfBits } from './place.ts';
import { reviewCount } from './reviews.ts';
import type { World } from './World.ts';

/** The places in the boxes of web results: the first on the map for the same words. */
export function placesNearby(world: World, text: string, count: number): (WorldPlace & { readonly reviews: number })[] {
  return world.geography
    .search(text, { latitude: 40.74, longitude: -73.98, zoom: 14 })
    .slice(0, count)
    .map(({ bits }) => placeOfBits(world, bits))
    .map((place) => ({ ...place, reviews: reviewCount(world, place) }));
}
