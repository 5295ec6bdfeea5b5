import { Refusal } from '../Refusal.ts';
import { cursor } from '../world/cursor.ts';
import { type Place, placeOfDataId } from '../world/place.ts';
import { ago, instantAgo, personName, prose } from '../world/words.ts';
import type { World, WorldQuery } from '../world/World.ts';

const topicWords = ['breakfast', 'service', 'wifi', 'parking', 'price', 'atmosphere', 'cake', 'view'] as const;

/** What decides whether and where a review is listed. */
interface ReviewHead {
  readonly index: number;
  readonly rating: number;
  readonly days: number;
  readonly topics: readonly number[];
}

/** E15: reviews of a place, by topic and in four orders. */
export function mapsReviews(query: WorldQuery, world: World): object {
  const dataId = String(query['data_id']);
  const place = placeOfDataId(world, dataId);
  const heads = reviewHeads(world, place);
  const topics = placeTopics(world, place);
  const wanted = query['topic_id'] === undefined ? undefined : topics.findIndex((topic) => topic.id === query['topic_id']);
  if (wanted === -1) throw new Refusal(400, `topic_id: '${query['topic_id']}' is not a topic of this place`);
  const listed = heads.filter((head) => wanted === undefined || head.topics.includes(wanted));
  listed.sort(orders[String(query['sort_by'] ?? 'qualityScore')]);
  const { from, to, next } = cursor(world, 'mapsReviews', query, 'next_page_token', listed.length, Number(query['results'] ?? 10));
  const rows = world.endless ? endless(world, place, from, to) : listed.slice(from, to);
  return {
    locationDetails: { address: place.address, rating: place.rating, reviews: place.reviews },
    topics: topics
      .map(({ keyword, id }, index) => ({ keyword, mentions: heads.filter((head) => head.topics.includes(index)).length, id }))
      .filter((topic) => topic.mentions > 0),
    reviews_results: rows.map((head) => review(world, place, head)),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

const orders: { readonly [sort: string]: ((a: ReviewHead, b: ReviewHead) => number) | undefined } = {
  newestFirst: (a, b) => a.days - b.days,
  ratingHigh: (a, b) => b.rating - a.rating || a.days - b.days,
  ratingLow: (a, b) => a.rating - b.rating || a.days - b.days,
  qualityScore: (a, b) => a.index - b.index,
};

function reviewHeads(world: World, place: Place): ReviewHead[] {
  return Array.from({ length: place.reviews }, (_, index) => reviewHead(world, place, index));
}

function endless(world: World, place: Place, from: number, to: number): ReviewHead[] {
  return Array.from({ length: to - from }, (_, index) => reviewHead(world, place, from + index));
}

function reviewHead(world: World, place: Place, index: number): ReviewHead {
  const random = world.random('review head', place.placeId, index);
  const topics = topicWords.flatMap((_, topic) => (random.chance(0.2) ? [topic] : []));
  return { index, rating: Math.min(5, random.int(1, 7)), days: random.int(1, 2000) + random.next(), topics };
}

function placeTopics(world: World, place: Place): { readonly keyword: string; readonly id: string }[] {
  if (place.reviews === 0) return [];
  return topicWords.map((keyword) => ({ keyword, id: `/m/0${world.random('topic', place.placeId, keyword).key(6)}` }));
}

function review(world: World, place: Place, { index, rating, days }: ReviewHead): object {
  const random = world.random('review', place.placeId, index);
  const id = random.key(36);
  const contributor = random.digits(21);
  const written = instantAgo(days);
  return {
    link: `https://maps.engine.example/reviews/${id}`,
    rating,
    likes: random.chance(0.7) ? 0 : random.int(1, 40),
    date: ago(days),
    iso_date: written,
    iso_date_of_last_edit: random.chance(0.8) ? written : instantAgo(days * random.next()),
    images: Array.from({ length: random.chance(0.7) ? 0 : random.int(1, 3) }, () => `https://photos.engine.example/${random.key(20)}`),
    source: 'Engine',
    review_id: id,
    snippet: random.chance(0.15) ? '' : prose(random, 8, 60),
    user: {
      name: random.chance(0.05) ? '=HYPERLINK("https://spam.example")' : personName(random),
      link: `https://maps.engine.example/contrib/${contributor}`,
      contributor_id: contributor,
      thumbnail: `https://photos.engine.example/u/${random.key(12)}`,
      local_guide: random.chance(0.4),
      reviews: random.int(1, 300),
      photos: random.int(0, 500),
    },
    details: {
      ...(random.chance(0.3) ? { price_per_person: random.pick(['$1–10', '$10–20', '$20–30']) } : {}),
      ...(random.chance(0.3) ? { meal_type: random.pick(['Breakfast', 'Brunch', 'Lunch', 'Dinner']) } : {}),
      ...(random.chance(0.15) ? { noise_level: random.pick(['Quiet, easy to talk', 'Moderate noise']) } : {}),
      ...(random.chance(0.15) ? { group_size: random.pick(['1 person', '2 people', '3–4 people']) } : {}),
      ...(random.chance(0.15) ? { wait_time: random.pick(['No wait', 'Up to 10 min']) } : {}),
      ...(random.chance(0.3) ? { food: random.int(1, 5), service: random.int(1, 5), atmosphere: random.int(1, 5) } : {}),
    },
    response: random.chance(0.3)
      ? {
          iso_date: instantAgo(days / 2),
          iso_date_of_last_edit: instantAgo(days / 2),
          date: ago(days / 2),
          response_from_owner_string: prose(random, 6, 25),
        }
      : { iso_date: '', iso_date_of_last_edit: '', date: '', response_from_owner_string: '' },
  };
}
