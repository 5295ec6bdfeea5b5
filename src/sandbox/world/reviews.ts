import { type WorldPlace, placeOfBits } from './place.ts';
import type { World } from './World.ts';

/** How many topics a review may be about. */
const topicCount = 8;

/** What decides whether and where a review is listed, and its changes so far. */
export interface ReviewHead {
  readonly index: number;
  readonly rating: number;
  /** How many days before the world began it was written. Negative: after it began. */
  readonly days: number;
  readonly topics: readonly number[];
  /** How often its text was edited since the world began, and the day of the last edit. */
  readonly edits: number;
  readonly edited: number;
  /** The day of the owner's reply. undefined: none since the world began. */
  readonly answered: number | undefined;
}

/** A review can be edited, answered or removed only in its first days, so a lookback of a week sees every change. */
const openDays = 6;

/** All reviews of a place as of the world's day, in no particular order. */
export function reviewsOf(world: World, place: WorldPlace): ReviewHead[] {
  const heads: ReviewHead[] = [];
  for (let index = 0; index < place.reviews; index++) heads.push(...fate(world, place, reviewAt(world, place, index), 0));
  let index = place.reviews;
  for (let day = 1; day <= world.day; day++) {
    const random = world.random('reviews of a day', place.placeId, day);
    const added = random.chance(0.12) ? random.int(1, 4) : 0;
    for (let i = 0; i < added; i++, index++) {
      // one in twenty shows up late: it is dated some days before it appears
      const late = random.chance(0.05) ? random.int(1, 5) : 0;
      heads.push(...fate(world, place, { ...reviewAt(world, place, index), days: late + random.next() - day }, day));
    }
  }
  return heads;
}

/** How many reviews a place has as of the world's day. */
export function reviewCount(world: World, place: WorldPlace): number {
  return world.day === 0 ? place.reviews : reviewsOf(world, place).length;
}

/** A review as first written. Every index has one. */
export function reviewAt(world: World, place: WorldPlace, index: number): ReviewHead {
  const random = world.random('review head', place.placeId, index);
  const topics = Array.from({ length: topicCount }, (_, topic) => topic).filter(() => random.chance(0.2));
  const rating = Math.min(5, random.int(1, 7));
  return { index, rating, days: random.int(1, 2000) + random.next(), topics, edits: 0, edited: 0, answered: undefined };
}

/** A review after its later changes. Empty if it was removed. */
function fate(world: World, place: WorldPlace, head: ReviewHead, appeared: number): ReviewHead[] {
  const last = Math.min(world.day, Math.floor(openDays - head.days));
  if (appeared >= last) return [head];
  const random = world.random('fate', place.placeId, head.index);
  let { edits, edited, answered, rating } = head;
  for (let day = 1; day <= last; day++) {
    const [edit, answer, remove] = [random.chance(0.04), random.chance(0.03), random.chance(0.01)];
    if (day <= appeared) continue;
    if (remove) return [];
    if (edit) [edits, edited, rating] = [edits + 1, day, 1 + ((rating + 3) % 5)];
    if (answer) answered ??= day;
  }
  return [{ ...head, edits, edited, answered, rating }];
}

/** The places in the boxes of web results: the first that a search on the map finds for the same words. */
export function placesNearby(world: World, text: string, count: number): (WorldPlace & { readonly reviews: number })[] {
  return world.geography
    .search(text, { latitude: 40.74, longitude: -73.98, zoom: 14 })
    .slice(0, count)
    .map(({ bits }) => placeOfBits(world, bits))
    .map((place) => ({ ...place, reviews: reviewCount(world, place) }));
}
