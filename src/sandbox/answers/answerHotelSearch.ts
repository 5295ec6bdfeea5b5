import { cursor, range } from '../world/cursor.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { phrase, sentence, slug, titled } from '../world/words.ts';

const amenities = ['Free Wi-Fi', 'Pool', 'Spa', 'Free breakfast', 'Pet-friendly', 'Air conditioning', 'Bar, “late”'] as const;
const brands = [
  { id: 33, name: 'Aster Hotels', children: [{ id: 67, name: 'Aster Inn' }, { id: 101, name: 'Aster & Co.' }] },
  { id: 17, name: 'Belmonte', children: [] },
  { id: 289, name: 'Çınar Group', children: [{ id: 290, name: 'Çınar Suites' }] },
] as const; // prettier-ignore

interface Hotel {
  readonly token: string;
  readonly title: string;
  readonly nightly: number;
  readonly reviews: number;
  readonly rating: number;
  readonly stars: number;
}

/** E12: properties, eighteen a page with a few advertised ones, filtered and sorted; or one property by its token, with offers for it. */
export function answerHotelSearch(query: WorldQuery, world: World): object {
  const nights = (Date.parse(String(query['check_out_date'])) - Date.parse(String(query['check_in_date']))) / 86_400_000;
  const money = (hotel: Hotel): string => `${hotel.nightly * nights} ${query['currency'] ?? 'USD'}`;
  if (query['property_token'] !== undefined) {
    const hotel = hotelOf(world, String(world.open('hotel', 'property_token', String(query['property_token']))[0]));
    const offers = range(0, 3).map((index) => advertisement(world, hotel, money(hotel), index));
    return { ads: offers, brands: [], properties: [{ ...property(world, hotel, money(hotel)), ...details(world, hotel) }] };
  }
  const where = String(query['query']).toLowerCase();
  const listed = hotels(world, query, where, nights);
  const { from, to, next } = cursor(world, 'hotelSearch', query, 'next_page_token', listed.length, 18);
  const here = world.endless ? range(from, to).map((index) => hotelOf(world, `${where} ${index}`)) : listed.slice(from, to);
  return {
    ads: here.filter((_, index) => index % 6 === 0).map((hotel) => advertisement(world, hotel, money(hotel), 0)),
    brands,
    properties: here.map((hotel) => property(world, hotel, money(hotel))),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

function hotels(world: World, query: WorldQuery, where: string, nights: number): Hotel[] {
  const count = world.random('hotels', where, query['vacation_rentals']).int(20, 70);
  const least = { 7: 3.5, 8: 4, 9: 4.5 }[String(query['rating'])] ?? 0;
  const stars = query['hotel_class'] === undefined ? undefined : String(query['hotel_class']).split(',');
  const listed = range(0, count)
    .map((index) => hotelOf(world, `${where} ${index}`))
    .filter(({ nightly, rating, stars: own }) => {
      const price = nightly * nights;
      const affordable = price >= Number(query['min_price'] ?? 0) && price <= Number(query['max_price'] ?? Infinity);
      return affordable && rating >= least && (stars === undefined || stars.includes(String(own)));
    });
  if (query['sort_by'] === '3') listed.sort((a, b) => a.nightly - b.nightly);
  if (query['sort_by'] === '8') listed.sort((a, b) => b.rating - a.rating);
  if (query['sort_by'] === '13') listed.sort((a, b) => b.reviews - a.reviews);
  return listed;
}

function hotelOf(world: World, id: string): Hotel {
  const random = world.random('hotel', id);
  return {
    token: world.seal('hotel', id),
    title: `${random.pick(['Hotel', 'Hôtel', 'Casa', 'فندق'])} ${phrase(random, random.int(1, 2))}`,
    nightly: random.int(35, 600),
    reviews: random.int(0, 4000),
    rating: random.int(28, 50) / 10,
    stars: random.int(2, 5),
  };
}

function property(world: World, hotel: Hotel, price: string): object {
  const random = world.random('property', hotel.token);
  return {
    type: 'hotel',
    name: hotel.title,
    property_token: hotel.token,
    gps_coordinates: { latitude: random.int(-60_00000, 60_00000) / 100_000, longitude: random.int(-180_00000, 180_00000) / 100_000 },
    total_rate: price,
    overall_rating: hotel.rating,
    reviews: hotel.reviews,
    hotel_class: hotel.stars,
    amenities: random.some(amenities, 0, 5),
  };
}

function advertisement(world: World, hotel: Hotel, price: string, offer: number): object {
  const random = world.random('ad', hotel.token, offer);
  const source = phrase(random, 1);
  return {
    title: titled(hotel.title),
    source,
    source_icon: `https://${slug(source)}.example/icon.png`,
    link: `https://${slug(source)}.example/book/${random.digits(8)}`,
    property_token: hotel.token,
    gps_coordinates: { latitude: random.int(-60_00000, 60_00000) / 100_000, longitude: random.int(-180_00000, 180_00000) / 100_000 },
    thumbnail: random.chance(0.1) ? '' : `https://images.engine.example/hotel/${random.key(14)}`,
    price,
    reviews: hotel.reviews,
    overall_rating: hotel.rating,
    amenities: random.some(amenities, 0, 5),
    hotel_class: hotel.stars,
    free_cancellation: random.chance(0.4),
  };
}

function details(world: World, hotel: Hotel): object {
  const random = world.random('details', hotel.token);
  return {
    description: sentence(random, 20, 50),
    check_in_time: '3:00 PM',
    check_out_time: '11:00 AM',
    address: `${random.int(1, 300)} ${phrase(random, 1)} Road, Springfield`,
  };
}
