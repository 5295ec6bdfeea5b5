import { dayMs, dayText } from '../../../operators/kit/days.ts';
import { cursor, range, type World, type WorldQuery } from '../world/World.ts';
import { phrase, sentence, slug, titled, prose, shortCount } from '../world/words.ts';
import type { Random } from '../world/Random.ts';

/** The amenities of hotels, by their number in a query. */
const amenities: { readonly [id: string]: string } = {
  '35': 'Free Wi-Fi',
  '6': 'Pool',
  '10': 'Spa',
  '9': 'Free breakfast',
  '19': 'Pet-friendly',
  '40': 'Air conditioning',
  '15': 'Bar, “late”',
};
const types = ['12', '13', '14', '17'] as const;
const brands = [
  { id: 33, name: 'Aster Hotels', children: [{ id: 67, name: 'Aster Inn' }, { id: 101, name: 'Aster & Co.' }] },
  { id: 17, name: 'Belmonte', children: [] },
  { id: 289, name: 'Çınar Group', children: [{ id: 290, name: 'Çınar Suites' }] },
] as const; // prettier-ignore

type Hotel = ReturnType<typeof hotelOf>;

/** Properties, eighteen a page with a few advertised ones, filtered and sorted. Or one property by its token, with offers for it. */
export function hotelSearchData(query: WorldQuery, world: World): object {
  const priceOfStay = stayPrices(world, query);
  const money = (hotel: Hotel): string => `${priceOfStay(hotel)} ${query['currency'] ?? 'USD'}`;
  if (query['property_token'] !== undefined) {
    const hotel = hotelOf(world, String(world.open('hotel', 'property_token', String(query['property_token']))[0]));
    const offers = range(0, 3).map((index) => advertisement(world, hotel, money(hotel), index));
    return { ads: offers, brands: [], properties: [{ ...property(hotel, money(hotel)), ...details(world, hotel) }] };
  }
  const where = String(query['query']).toLowerCase();
  const rental = query['vacation_rentals'] === true ? { type: 'vacation rental' } : {};
  const listed = hotels(world, query, where, priceOfStay);
  const { from, to, next } = cursor(world, 'hotelSearch', query, 'next_page_token', listed.length, 18);
  const here = world.endless ? range(from, to).map((index) => hotelOf(world, `${where} ${index}`)) : listed.slice(from, to);
  return {
    ads: here.filter((_, index) => index % 6 === 0).map((hotel) => advertisement(world, hotel, money(hotel), 0)),
    brands,
    properties: here.map((hotel) => ({ ...property(hotel, money(hotel)), ...rental })),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

function hotels(world: World, query: WorldQuery, where: string, priceOfStay: (hotel: Hotel) => number): Hotel[] {
  const count = world.random('hotels', where, query['vacation_rentals']).int(20, 70);
  const minRating = { 7: 3.5, 8: 4, 9: 4.5 }[String(query['rating'])] ?? 0;
  const stars = query['hotel_class'] === undefined ? undefined : String(query['hotel_class']).split(',');
  const listed = range(0, count)
    .map((index) => hotelOf(world, `${where} ${index}`))
    .filter((hotel) => fits(hotel, query))
    .filter((hotel) => {
      const { rating, stars: own } = hotel;
      const price = priceOfStay(hotel);
      const affordable = price >= Number(query['min_price'] ?? 0) && price <= Number(query['max_price'] ?? Infinity);
      return affordable && rating >= minRating && (stars === undefined || stars.includes(String(own)));
    });
  if (query['sort_by'] === '3') listed.sort((a, b) => priceOfStay(a) - priceOfStay(b));
  if (query['sort_by'] === '8') listed.sort((a, b) => b.rating - a.rating);
  if (query['sort_by'] === '13') listed.sort((a, b) => b.reviews - a.reviews);
  return listed;
}

/**
 * Returns the price of a stay in a hotel. It is higher on Fridays and Saturdays and at the end of December. It varies a little by night
 * and by the world's day.
 */
function stayPrices(world: World, query: WorldQuery): (hotel: Hotel) => number {
  const [from, to] = ['check_in_date', 'check_out_date'].map((param) => Date.parse(String(query[param]))) as [number, number];
  const nights = range(0, Math.round((to - from) / dayMs)).map((night) => new Date(from + night * dayMs));
  return ({ token, nightly }) => {
    const today = nightly * world.priceToday(token);
    return nights.reduce((sum, night) => {
      const random = world.random('night', token, dayText(night.getTime()));
      const isWeekend = [5, 6].includes(night.getUTCDay());
      const isHoliday = night.getUTCMonth() === 11 && night.getUTCDate() >= 23;
      return sum + Math.round(today * (isWeekend ? 1.35 : 1) * (isHoliday ? 1.6 : 1) * (0.96 + random.next() / 12));
    }, 0);
  };
}

/** Whether a hotel matches the filters of a query. */
function fits(hotel: Hotel, query: WorldQuery): boolean {
  const listed = (param: string): string[] => (query[param] === undefined ? [] : String(query[param]).split(','));
  const isSet = (param: string): boolean => query[param] === '1' || query[param] === 'true';
  const any = (param: string, value: string): boolean => listed(param).length === 0 || listed(param).includes(value);
  if (!listed('amenities').every((id) => amenities[id] === undefined || hotel.amenities.includes(amenities[id]))) return false;
  if (!any('brands', String(hotel.brand)) || !any('property_types', hotel.type)) return false;
  if (isSet('free_cancellation') && !hotel.freeCancellation) return false;
  if (isSet('special_offers') && !hotel.specialOffer) return false;
  if (isSet('eco_certified') && !hotel.eco) return false;
  if (Number(query['adults'] ?? 2) + Number(query['children'] ?? 0) > hotel.sleeps) return false;
  return hotel.bedrooms >= Number(query['bedrooms'] ?? 0) && hotel.bathrooms >= Number(query['bathrooms'] ?? 0);
}

function hotelOf(world: World, id: string) {
  const random = world.random('hotel', id);
  return {
    token: world.seal('hotel', id),
    title: `${random.pick(['Hotel', 'Hôtel', 'Casa', 'فندق'])} ${phrase(random, random.int(1, 2))}`,
    nightly: random.int(35, 600),
    reviews: random.int(0, 4000),
    rating: random.int(28, 50) / 10,
    stars: random.int(2, 5),
    latitude: random.int(-60_00000, 60_00000) / 100_000,
    longitude: random.int(-180_00000, 180_00000) / 100_000,
    amenities: random.some(Object.values(amenities), 1, 6),
    /** An id from `brands`, or from their children. */
    brand: random.pick([33, 67, 101, 17, 289, 290]),
    type: random.pick(types),
    freeCancellation: random.chance(0.6),
    specialOffer: random.chance(0.5),
    eco: random.chance(0.5),
    bedrooms: random.int(1, 4),
    bathrooms: random.int(1, 3),
    sleeps: random.int(2, 8),
  };
}

function property(hotel: Hotel, price: string): object {
  return {
    type: 'hotel',
    name: hotel.title,
    property_token: hotel.token,
    gps_coordinates: { latitude: hotel.latitude, longitude: hotel.longitude },
    total_rate: price,
    overall_rating: hotel.rating,
    reviews: hotel.reviews,
    hotel_class: hotel.stars,
    amenities: hotel.amenities,
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
    gps_coordinates: { latitude: hotel.latitude, longitude: hotel.longitude },
    thumbnail: random.chance(0.1) ? '' : `https://images.engine.example/hotel/${random.key(14)}`,
    price,
    reviews: hotel.reviews,
    overall_rating: hotel.rating,
    amenities: hotel.amenities,
    hotel_class: hotel.stars,
    free_cancellation: hotel.freeCancellation,
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

const perPage = 10;

/** The token for a product of any name. */
export function productToken(world: World, name: string): string {
  return world.seal('product', name);
}

/** The lowest price of a product: in a list of options, and at its first seller. */
export function priceOf(world: World, name: string): number {
  return (world.random('price', name).int(300, 90_000) / 100) * world.priceToday(name);
}

/** A product and its first three sellers, or with `stores` ten from `sori` on. Its `more_options` have tokens of other products. */
export function immersiveProductData(query: WorldQuery, world: World): object {
  const name = String(world.open('product', 'page_token', String(query['page_token']))[0]);
  const random = world.random('product', name, query['country']);
  const [more, from] = [query['stores'] === true, Number(query['sori'] ?? 0)];
  const total = world.endless ? Infinity : random.int(3, 26);
  const price = priceOf(world, name);
  const id = random.key(10);
  return {
    thumbnails: range(0, random.int(0, 4)).map((index) => `https://images.engine.example/product/${id}/${index}`),
    title: titled(name),
    brand: random.chance(0.2) ? '' : phrase(random, 1),
    reviews: random.int(0, 9000),
    rating: String(random.int(20, 50) / 10),
    price_range: `$${price.toFixed(2)} - $${(price * 1.3).toFixed(2)}`,
    stores: range(from, Math.min(total, from + (more ? perPage : 3))).map((index) =>
      store(world.random('store', name, index), name, index === 0 ? price : undefined, price),
    ),
    about_the_product: {
      title: titled(name),
      link: `https://${slug(name) || 'product'}.example/`,
      icon: '',
      displayed_link: `${slug(name) || 'product'}.example`,
      features: random.some(['Colour', 'Width (")', 'Weight', 'Made of'], 0, 4).map((title) => ({ title, value: phrase(random, 2) })),
      description: prose(random, 15, 40),
    },
    more_options: range(0, random.int(1, 4)).map(() => {
      const other = `${phrase(random, 1).toLowerCase()} ${name.split(' ').at(-1)}`;
      return {
        title: titled(other),
        thumbnail: `https://images.engine.example/product/${random.key(10)}/0`,
        price: `$${priceOf(world, other).toFixed(2)}`,
        ...(random.chance(0.3) ? { previous_price: `$${(priceOf(world, other) * 1.2).toFixed(2)}` } : {}),
        token: productToken(world, other),
      };
    }),
  };
}

function store(random: Random, name: string, exact: number | undefined, around: number): object {
  const seller = `${phrase(random, 1)} ${random.pick(['Store', 'Outlet', '"Direct"', '& Co., Ltd.'])}`;
  const price = exact ?? around * (1 + random.next() * 0.3);
  const delivery = random.chance(0.5) ? 0 : random.int(2, 12);
  return {
    name: seller,
    link: `https://${slug(seller)}.example/item/${random.digits(7)}`,
    favicon: `https://${slug(seller)}.example/favicon.ico`,
    title: prose(random, 2, 6).includes('=') ? `=${name}` : titled(name),
    ratings: random.chance(0.2) ? '' : `${random.int(30, 50) / 10}/5`,
    reviews: random.chance(0.2) ? '' : `(${shortCount(random.int(1, 30_000))})`,
    payment_method: random.chance(0.5) ? '' : 'Card, on account',
    extensions: random.some(['In stock online', 'Free 30-day returns', 'Pre-owned'], 0, 2),
    price: `$${price.toFixed(2)}`,
    ...(random.chance(0.25) ? { original_price: `$${(price * 1.2).toFixed(2)}` } : {}),
    delivery_fee: delivery === 0 ? 'Free' : `$${delivery}.00`,
    tax: random.chance(0.3) ? '' : `$${(price * 0.08).toFixed(2)}`,
    total_price: `$${(price * 1.08 + delivery).toFixed(2)}`,
  };
}
