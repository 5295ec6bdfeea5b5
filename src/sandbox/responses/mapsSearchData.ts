import { range, type World, type WorldQuery } from '../world/World.ts';
import type { MapView } from '../world/Geography.ts';
import { type WorldPlace, placeAt, placeOfBits, placeOfPlaceId } from '../world/place.ts';
import { reviewCount } from '../world/reviews.ts';
import { phrase, slug } from '../world/words.ts';

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

/** E14: the places in the view of `ll`, best first, twenty a page, or one place by its place_id. */
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
    rating: place.rating,
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
    ...news(world, place),
    thumbnail: `${picture}=w80`,
    image: picture,
    engine_maps_url: `https://maps.engine.example/?cid=${place.cid}`,
    rank,
  };
}

/** What a place has changed since the world began: now and then its hours or its phone. */
function news(world: World, place: WorldPlace): object {
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
