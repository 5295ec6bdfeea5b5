import { SandboxRefusal } from '../SandboxRefusal.ts';
import { cursor, type World, type WorldQuery } from '../world/World.ts';
import { type WorldPlace, placeOfDataId } from '../world/place.ts';
import { type ReviewHead, reviewAt, reviewsOf } from '../world/reviews.ts';
import { ago, instantAgo, personName, prose } from '../world/words.ts';
import type { Random } from '../world/Random.ts';

const topicWords = ['breakfast', 'service', 'wifi', 'parking', 'price', 'atmosphere', 'cake', 'view'] as const;

/** E15: reviews of a place, by topic and in four orders. */
export function mapsReviewsData(query: WorldQuery, world: World): object {
  const dataId = String(query['data_id']);
  const place = placeOfDataId(world, dataId);
  const heads = reviewsOf(world, place);
  const topics = placeTopics(world, place, heads.length);
  const wanted = query['topic_id'] === undefined ? undefined : topics.findIndex((topic) => topic.id === query['topic_id']);
  if (wanted === -1) throw new SandboxRefusal(400, `topic_id: '${query['topic_id']}' is not a topic of this place`);
  const listed = heads.filter((head) => wanted === undefined || head.topics.includes(wanted));
  listed.sort(orders[String(query['sort_by'] ?? 'qualityScore')]);
  const { from, to, next } = cursor(world, 'mapsReviews', query, 'next_page_token', listed.length, Number(query['results'] ?? 10));
  const rows = world.endless ? endless(world, place, from, to) : listed.slice(from, to);
  return {
    locationDetails: { address: place.address, rating: place.rating, reviews: heads.length },
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

function endless(world: World, place: WorldPlace, from: number, to: number): ReviewHead[] {
  return Array.from({ length: to - from }, (_, index) => reviewAt(world, place, from + index));
}

function placeTopics(world: World, place: WorldPlace, count: number): { readonly keyword: string; readonly id: string }[] {
  if (count === 0) return [];
  return topicWords.map((keyword) => ({ keyword, id: `/m/0${world.random('topic', place.placeId, keyword).key(6)}` }));
}

function review(world: World, place: WorldPlace, { index, rating, days, edits, edited, answered }: ReviewHead): object {
  const random = world.random('review', place.placeId, index);
  const id = random.key(36);
  const contributor = random.digits(21);
  const written = instantAgo(days);
  const reply = answered === undefined ? days / 2 : -answered;
  return {
    link: `https://maps.engine.example/reviews/${id}`,
    rating,
    likes: random.chance(0.7) ? 0 : random.int(1, 40),
    // relative to the day it was written, so that a row changes only if something has happened to it
    date: ago(days < 0 ? days - Math.floor(days) : days),
    iso_date: written,
    iso_date_of_last_edit: lastEdit(random, days, edited),
    images: Array.from({ length: random.chance(0.7) ? 0 : random.int(1, 3) }, () => `https://photos.engine.example/${random.key(20)}`),
    source: 'Engine',
    review_id: id,
    snippet: (edits === 0 ? '' : `Edit ${edits}. `) + (random.chance(0.15) ? '' : prose(random, 8, 60)),
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
    response:
      answered !== undefined || (random.chance(0.3) && days > 0)
        ? {
            iso_date: instantAgo(reply),
            iso_date_of_last_edit: instantAgo(reply),
            date: ago(Math.max(reply, 0.5)),
            response_from_owner_string: prose(random, 6, 25),
          }
        : { iso_date: '', iso_date_of_last_edit: '', date: '', response_from_owner_string: '' },
  };
}

function lastEdit(random: Random, days: number, edited: number): string {
  const before = random.chance(0.8) ? days : days * random.next();
  return instantAgo(edited > 0 ? -edited : Math.min(days, before));
}
