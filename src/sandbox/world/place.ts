import type { Random } from './Random.ts';
import type { WorldBase } from './mapOptions.ts';
import { phrase } from './words.ts';

/** Kinds of places, and the word in a query that selects each. */
const themes = [
  { word: 'coffee', type: 'Coffee shop', names: ['Coffee', 'Espresso Bar', 'Roasters', 'Café'] },
  { word: 'tea', type: 'Tea house', names: ['Tea House', 'Tea Room', 'Leaf & Cup'] },
  { word: 'restaurant', type: 'Restaurant', names: ['Kitchen', 'Bistro', 'Table', 'Grill'] },
  { word: 'bakery', type: 'Bakery', names: ['Bakery', 'Bread Co.', 'Patisserie'] },
  { word: 'hotel', type: 'Hotel', names: ['Hotel', 'Inn', 'Suites'] },
  { word: 'museum', type: 'Museum', names: ['Museum', 'Gallery', 'Collection'] },
  { word: 'book', type: 'Book store', names: ['Books', 'Bookshop', 'Pages'] },
  { word: 'bar', type: 'Bar', names: ['Bar', 'Taproom', 'Cellar'] },
  { word: 'park', type: 'Park', names: ['Park', 'Gardens', 'Green'] },
  { word: '', type: 'Shop', names: ['Store', 'Works', 'Studio', '“Corner”, Ltd.'] },
  { word: 'dentist', type: 'Dentist', names: ['Dental', 'Dentistry', 'Smiles', 'Dental Care'] }, // found by its word only
] as const;
const mixedThemes = 10;

/** A place: 128 bits. data_id, place_id and data_cid are three spellings of them. */
export interface WorldPlace {
  readonly dataId: string;
  readonly placeId: string;
  readonly cid: string;
  readonly title: string;
  readonly type: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly address: string;
  /** From 1 to 5 with one decimal. 0 without reviews. */
  readonly rating: number;
  /** How many reviews it has. */
  readonly reviews: number;
}

/** The id of a place that a query finds at some coordinates, and the coordinates as the id has them. Without a query: of a landmark. */
export function placeBits(
  random: Random,
  query: string | undefined,
  latitude: number,
  longitude: number,
): { readonly bits: string; readonly latitude: number; readonly longitude: number } {
  const asked = themes.findIndex((theme) => theme.word !== '' && query?.toLowerCase().includes(theme.word));
  const theme = query === undefined ? 8 : asked === -1 ? random.int(0, mixedThemes - 1) : asked;
  const [lat, lng] = [fraction(latitude, -90, 90), fraction(wrapLongitude(longitude), -180, 180)];
  const bits = lat + lng + theme.toString(16).padStart(2, '0') + random.hex(18);
  return { bits, latitude: degrees(lat, -90, 90), longitude: degrees(lng, -180, 180) };
}

/** The place for the `index`th row of an endless list. */
export function placeAt(world: WorldBase, query: string, latitude: number, longitude: number, index: number): WorldPlace {
  const random = world.random('place', query.toLowerCase(), latitude, longitude, index);
  const [lat, lng] = [latitude + (random.next() - 0.5) / 20, longitude + (random.next() - 0.5) / 20];
  return placeOfBits(world, placeBits(random, query, lat, lng).bits);
}

/** The place with a data_id. Every text is the id of some place. */
export function placeOfDataId(world: WorldBase, dataId: string): WorldPlace {
  const parts = /^0x([0-9a-f]{16}):0x([0-9a-f]{16})$/.exec(dataId);
  return { ...placeOfBits(world, parts === null ? world.random('data_id', dataId).hex(32) : parts[1]! + parts[2]!), dataId };
}

/** The place with a place_id. Every text is the id of some place. */
export function placeOfPlaceId(world: WorldBase, placeId: string): WorldPlace {
  const bytes = Buffer.from(/^ChIJ([\w-]{22})$/.exec(placeId)?.[1] ?? '', 'base64url');
  return { ...placeOfBits(world, bytes.length === 16 ? bytes.toString('hex') : world.random('place_id', placeId).hex(32)), placeId };
}

export function placeOfBits(world: WorldBase, bits: string): WorldPlace {
  const random = world.random('place', bits);
  const number = Number.parseInt(bits.slice(12, 14), 16);
  const theme = themes[number] ?? themes[number % mixedThemes]!;
  const reviews = random.chance(0.1) ? 0 : random.int(1, 60);
  const street = `${random.int(1, 990)} ${phrase(random, 1)} ${random.pick(['St', 'Ave', 'Lane', 'Square'])}`;
  return {
    dataId: `0x${bits.slice(0, 16)}:0x${bits.slice(16)}`,
    placeId: `ChIJ${Buffer.from(bits, 'hex').toString('base64url')}`,
    cid: BigInt(`0x${bits.slice(16)}`).toString(),
    title: `${phrase(random, random.int(1, 2))} ${random.pick(theme.names)}`,
    type: theme.type,
    latitude: degrees(bits.slice(0, 6), -90, 90),
    longitude: degrees(bits.slice(6, 12), -180, 180),
    address: random.chance(0.3) ? `${street}, #${random.int(1, 40)}, Springfield` : `${street}, Springfield`,
    rating: reviews === 0 ? 0 : random.int(31, 50) / 10,
    reviews,
  };
}

function wrapLongitude(longitude: number): number {
  return ((((longitude + 180) % 360) + 360) % 360) - 180;
}

function fraction(value: number, low: number, high: number): string {
  const share = (Math.min(high, Math.max(low, value)) - low) / (high - low);
  return Math.round(share * 0xffffff)
    .toString(16)
    .padStart(6, '0');
}

function degrees(hex: string, low: number, high: number): number {
  return Number((low + (Number.parseInt(hex, 16) / 0xffffff) * (high - low)).toFixed(5));
}
