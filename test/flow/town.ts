import type { Asked } from './fakeClient.ts';
import { seeded } from '../files/seeded.ts';

export interface Review {
  readonly review_id: string;
  readonly iso_date: string;
  readonly snippet: string;
}

export interface Place {
  readonly data_id: string;
  /** Newest first. */
  readonly reviews: readonly Review[];
}

const dayMs = 86_400_000;
/** The end of a day; day 0 is the first one. */
const endOf = (day: number): number => Date.UTC(2026, 5, 1) + day * dayMs;
const written = (review_id: string, at: number): Review => ({ review_id, iso_date: new Date(at).toISOString(), snippet: 'as it was' });
const newestFirst = (reviews: readonly Review[]): Review[] => reviews.toSorted((a, b) => (a.iso_date < b.iso_date ? 1 : -1));

/** So many places with 1 to 24 reviews each, of the last two years. */
export function foundTown(count: number): readonly Place[] {
  const random = seeded(3);
  return Array.from({ length: count }, (_, place) => {
    const reviews = Array.from({ length: 1 + Math.floor(random() * 24) }, (_, index) =>
      written(`p${place}-${index}`, endOf(0) - Math.floor((1 + random() * 700) * dayMs)),
    );
    return { data_id: `p${place}`, reviews: newestFirst(reviews) };
  });
}

/**
 * A day in town. Of the first 120 places every one has news: 300 new reviews, one in ten of them dated two days back, and
 * 40 that were edited within their first week.
 */
export function busyDay(town: readonly Place[], day: number): readonly Place[] {
  return town.map((place, index) => {
    if (index >= 120) return place;
    const fresh = Array.from({ length: index < 60 ? 3 : 2 }, (_, i) =>
      written(`${place.data_id}-d${day}-${i}`, endOf(day) - ((index + i) % 10 === 0 ? 2 * dayMs : 0) - (i + 1) * 60_000),
    );
    const edited = index % 3 === 0 ? { ...place.reviews[0]!, snippet: `edited on day ${day}` } : place.reviews[0]!;
    return { ...place, reviews: newestFirst([...fresh, edited, ...place.reviews.slice(1)]) };
  });
}

/** A day on which reviews come, are edited and go, and places open and close. */
export function anyDay(town: readonly Place[], day: number): readonly Place[] {
  const random = seeded(100 + day);
  const open = town.filter(() => random() > 0.02);
  const born: Place = { data_id: `new${day}`, reviews: [written(`new${day}-0`, endOf(day) - dayMs / 2)] };
  return [...open, born].map((place) => {
    const isRecent = ({ iso_date }: Review): boolean => endOf(day) - Date.parse(iso_date) < 6 * dayMs;
    const kept = place.reviews.flatMap((review): Review[] => {
      if (!isRecent(review)) return [review];
      const what = random();
      if (what < 0.1) return [];
      return [what < 0.3 ? { ...review, snippet: `edited on day ${day}` } : review];
    });
    const count = random() < 0.4 ? Math.floor(random() * 14) : 0;
    const fresh = Array.from({ length: count }, (_, i) =>
      written(`${place.data_id}-d${day}-${i}`, endOf(day) - Math.floor(random() * (random() < 0.1 ? 5 : 1) * dayMs)),
    );
    return { ...place, reviews: newestFirst([...fresh, ...kept]) };
  });
}

/** The town as a service: places by twenty, reviews by ten. */
export function serve(town: readonly Place[]): (asked: Asked) => unknown {
  const byId = new Map(town.map((place) => [place.data_id, place]));
  return ({ operation, query }) => {
    if (operation === 'mapsSearch') {
      const from = Number(query['page'] ?? 0);
      const places = town.slice(from, from + 20);
      return { search_results: places.map(({ data_id, reviews }) => ({ data_id, title: data_id, reviews: reviews.length })) };
    }
    const { reviews } = byId.get(String(query['data_id']))!;
    const from = Number(query['next_page_token'] ?? 0);
    const next = from + 10 < reviews.length ? { next_page_token: String(from + 10) } : {};
    return { reviews_results: reviews.slice(from, from + 10), ...next };
  };
}
