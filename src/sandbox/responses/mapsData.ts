import { range, type World, type WorldQuery, cursor } from '../world/World.ts';
import type { MapView } from '../world/Geography.ts';
import { type WorldPlace, placeAt, placeOfBits, placeOfPlaceId, placeOfDataId } from '../world/place.ts';
import { reviewCount, type ReviewHead, reviewAt, reviewsOf } from '../world/reviews.ts';
import { phrase, slug, ago, instantAgo, personName, prose } from '../world/words.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';
import type { Random } from '../world/Random.ts';

const pageSize = 20;
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
const features: { readonly [category: string]: readonly string[] } = {
  service_options: ['Dine-in', 'Takeaway', 'Kerbside pickup', 'No-contact delivery'],
  highlights: ['Great coffee', 'Live music', 'Rooftop seating'],
  popular_for: ['Breakfast', 'Solo dining', 'Good for working on laptop'],
  accessibility: ['Wheelchair-accessible entrance', 'Wheelchair-accessible toilet'],
  offerings: ['Coffee', 'Small plates', 'Quick bite', 'Vegan options'],
  amenities: ['Toilet', 'Wi-Fi', 'Free Wi-Fi'],
  crowd: ['Family friendly', 'LGBTQ+ friendly', 'Tourists'],
  payments: ['Credit cards', 'Debit cards', 'NFC mobile payments'],
  pets: ['Dogs allowed', 'Dogs allowed outside'],
};

/** The places in the view of `ll`, best first, twenty a page, or one place by its place_id. */
export function mapsSearchData(query: WorldQuery, world: World): object {
  if (query['place_id'] !== undefined) return { search_results: [result(world, placeOfPlaceId(world, String(query['place_id'])), 1)] };
  const text = String(query['query']);
  const from = Number(query['page'] ?? 0);
  const view = viewOf(query['ll']);
  const places = world.endless
    ? range(from, from + pageSize).map((index) => placeAt(world, text, view.latitude, view.longitude, index))
    : world.geography
        .search(text, view)
        .slice(from, from + pageSize)
        .map(({ bits }) => placeOfBits(world, bits));
  return { search_results: places.map((place, index) => result(world, place, from + index + 1)) };
}

/** The view of an `ll`. Without one, the middle of New York. */
function viewOf(ll: WorldQuery[string]): MapView {
  const [latitude = 40.74, longitude = -73.98, zoom = 14] = typeof ll === 'string' ? ll.slice(1).split(',').map(Number.parseFloat) : [];
  return { latitude, longitude, zoom };
}

function result(world: World, place: WorldPlace, rank: number): object {
  const random = world.random('listing', place.placeId);
  const opens = random.int(6, 10);
  const hours = `${opens} AM–${random.int(4, 11)} PM`;
  const picture = `https://photos.engine.example/p/${random.key(20)}`;
  return {
    title: place.title,
    place_id: place.placeId,
    data_id: place.dataId,
    data_cid: place.cid,
    gps_coordinates: { latitude: place.latitude, longitude: place.longitude },
    provider_id: `/g/11${random.key(8)}`,
    ...(place.rating > 0 ? { rating: place.rating } : {}),
    reviews: reviewCount(world, place),
    ...(random.chance(0.6) ? { price: random.pick(['$', '$$', '$10–20']) } : {}),
    type: place.type,
    types: random.chance(0.5) ? [place.type] : [place.type, 'Establishment'],
    type_ids: [slug(place.type).replaceAll('-', '_')],
    extensions: extensions(world, place),
    address: place.address,
    open_state: random.chance(0.1) ? '' : `Open ⋅ Closes ${random.int(4, 11)} PM`,
    hours: random.chance(0.1) ? '' : `Open ⋅ ${hours}`,
    operating_hours: Object.fromEntries(days.map((day) => [day, day === 'sunday' && random.chance(0.4) ? 'Closed' : hours])),
    ...(random.chance(0.8) ? { phone: `+1 212-555-0${random.digits(3)}` } : {}),
    ...(random.chance(0.7) ? { website: `https://${slug(place.title)}.example/?utm_source=maps&q="${phrase(random, 1)}"` } : {}),
    ...(random.chance(0.1) ? { unclaimed_business: true } : {}),
    ...changesOf(world, place),
    thumbnail: `${picture}=w80`,
    image: picture,
    engine_maps_url: `https://maps.engine.example/?cid=${place.cid}`,
    rank,
  };
}

/** The fields of a place that have changed since the world began: now and then its hours or its phone. */
function changesOf(world: World, place: WorldPlace): object {
  let changed = {};
  for (let day = 1; day <= world.day; day++) {
    const random = world.random('listing of a day', place.placeId, day);
    if (random.chance(0.01)) changed = { ...changed, hours: `Open ⋅ ${random.int(6, 10)} AM–${random.int(4, 11)} PM` };
    if (random.chance(0.005)) changed = { ...changed, phone: `+1 212-555-1${random.digits(3)}` };
  }
  return changed;
}

/** One object per category. Now and then a category or a value is repeated. */
function extensions(world: World, place: WorldPlace): object[] {
  const random = world.random('extensions', place.placeId);
  const categories = random.some(Object.keys(features), 0, 5);
  if (categories.length > 0 && random.chance(0.2)) categories.push(categories[0]!);
  return categories.map((category) => ({ [category]: random.some(features[category] ?? [], 1, 3) }));
}

const topicWords = ['breakfast', 'service', 'wifi', 'parking', 'price', 'atmosphere', 'cake', 'view'] as const;

/** Reviews of a place, by topic and in four orders. */
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

const names = ['All', 'Latest', 'Menu', 'By owner', 'Food & drink', 'Vibe', 'Street View & 360°'] as const;

/** Photos of a place, twenty a page, all of them or those of one category. */
export function mapsPhotosData(query: WorldQuery, world: World): object {
  const { placeId } = placeOfDataId(world, String(query['data_id']));
  const random = world.random('photos', placeId);
  const categories = random
    .some(names, 1, names.length)
    .map((name) => ({ name, id: `CgI${world.random('category', placeId, name).key(9)}==` }));
  const category = query['category_id'];
  if (category !== undefined && categories.every(({ id }) => id !== category)) {
    throw new SandboxRefusal(400, `category_id: '${category}' is not a category of this place`);
  }
  const all = random.chance(0.1) ? 0 : random.int(1, 70);
  const total = category === undefined ? all : Math.min(all, world.random('photos', placeId, category).int(1, 25));
  const { from, to, next } = cursor(world, 'mapsPhotos', query, 'next_page_token', total, 20);
  return {
    categories,
    photos: range(from, to).map((index) => {
      const image = `https://photos.engine.example/${world.random('photo', placeId, category, index).key(24)}`;
      return { thumbnail: `${image}=w203-h100-k-no`, image: `${image}=w1600` };
    }),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

/** Posts of a business, ten a page. The token of the last page is empty or null. */
export function mapsPostsData(query: WorldQuery, world: World): object {
  const place = placeOfDataId(world, String(query['data_id']));
  const random = world.random('posts', place.placeId);
  const total = random.chance(0.25) ? 0 : random.int(1, 28);
  const { from, to, next } = cursor(world, 'mapsPosts', query, 'next_page_token', total, 10);
  return {
    location_details: { name: place.title, logo: random.chance(0.2) ? '' : `https://photos.engine.example/logo/${random.key(12)}` },
    post_data: range(from, to).map((index) => {
      const post = world.random('post', place.placeId, index);
      return {
        description: prose(post, 10, 40),
        date: ago(index * 9 + post.int(0, 8)),
        ...(post.chance(0.6) ? { image: `https://photos.engine.example/post/${post.key(16)}` } : {}),
        link: `https://maps.engine.example/posts/${post.key(22)}`,
      };
    }),
    next_page_token: next ?? (random.chance(0.5) ? '' : null),
  };
}
