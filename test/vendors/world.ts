import { range } from '../../src/sandbox/world/World.ts';

/** The world that all stand-ins answer from. Nothing is stored: each thing is computed from its id or from the text of the query. */
export interface World {
  /** Days since it began. Each day brings a new row to most lists. */
  day: number;
}

/** Milliseconds since 1970 in a world: today, and a day more for each of its days. */
export const timeIn = (world: World): number => Date.now() + world.day * dayMs;
const dayMs = 86_400_000;

/** 32 bits that a text always gets. */
export function hash(...of: readonly unknown[]): number {
  let bits = 0x811c9dc5;
  for (const char of of.join('|')) bits = Math.imul(bits ^ char.codePointAt(0)!, 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return (bits ^ (bits >>> 13)) >>> 0;
}
const pick = <T>(list: readonly T[], ...of: readonly unknown[]): T => list[hash(...of) % list.length]!;
const whole = (least: number, most: number, ...of: readonly unknown[]): number => least + (hash(...of) % (most - least + 1));
const slug = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, '-').replaceAll(/^-|-$/g, ''); // prettier-ignore
const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');

const firstDay = Date.parse('2026-11-01T10:00:00Z');
/** When row `k` of a list came: the newest first, negative ones on the days after the first. */
const cameAt = (k: number): string => new Date(firstDay - (k < 0 ? k * dayMs : k * 37 * 3_600_000)).toISOString();

/** How many rows a query has: the number that its text ends in, or what is usual. 'nothing …' has none. */
export function sizeOf(text: string, usual: number): number {
  if (/^nothing\b/i.test(text)) return 0;
  return Number(/(?:^|\s)(\d{1,4})$/.exec(text)?.[1] ?? usual);
}

/** The numbers of a list's rows, the newest first. */
function rowsOf({ day }: World, text: string, usual: number): number[] {
  const size = sizeOf(text, usual);
  return size === 0 ? [] : range(-day, size);
}

export interface WebPage {
  readonly link: string;
  readonly host: string;
  readonly title: string;
  readonly snippet: string;
  readonly date: string;
}

const hosts = ['acme', 'daily', 'garden', 'harbour', 'lantern', 'meadow', 'orbit'];

function webPage(kind: string, text: string, k: number): WebPage {
  const host = `www.${pick(hosts, kind, text, k)}.example`;
  return {
    link: `https://${host}/${kind}/${slug(text)}-${k}`,
    host,
    title: `${text}, ${kind} ${k}`,
    snippet: `What ${host} says of ${text}.`,
    date: cameAt(k),
  };
}

/** The places on the pages of a web search, ten on each. Every seventh has a box in it (undefined), so that pages differ in length. */
export const webSlots = (world: World, text: string): readonly (WebPage | undefined)[] =>
  rowsOf(world, text, 27).map((k) => (k % 7 === 5 ? undefined : webPage('page', text, k)));
export const webPages = (world: World, text: string): WebPage[] => webSlots(world, text).filter((page) => page !== undefined);

export interface Article extends WebPage {
  readonly source: string;
  readonly thumbnail: string;
}
const article = (kind: string, text: string, k: number): Article => {
  const page = webPage(kind, text, k);
  return { ...page, source: page.host.split('.')[1]!, thumbnail: `https://img.example/${kind}/${slug(text)}-${k}.jpg` };
};
export const news = (world: World, text: string): Article[] => rowsOf(world, text, 23).map((k) => article('news', text, k));
export const videos = (world: World, text: string): (Article & { readonly duration: string })[] =>
  rowsOf(world, text, 23).map((k) => ({ ...article('video', text, k), duration: `${whole(1, 59, text, k)}:10` }));
export const images = (world: World, text: string): (Article & { readonly original: string; readonly width: number; readonly height: number })[] =>
  rowsOf(world, text, 130).map((k) => ({ ...article('image', text, k), original: `https://img.example/full/${slug(text)}-${k}.png`, width: 800, height: 600 })); // prettier-ignore

export const suggestions = (text: string): { readonly value: string; readonly relevance: number }[] =>
  range(0, sizeOf(text, 8)).map((k) => ({ value: `${text} ${pick(hosts, text, k)} ${k}`, relevance: 1000 - k }));

/** A generated answer: a paragraph and a list, and its sources. */
export interface Answer {
  readonly text: string;
  readonly items: readonly string[];
  readonly sources: readonly WebPage[];
}
export const answer = (text: string): Answer | undefined =>
  sizeOf(text, 3) === 0
    ? undefined
    : {
        text: `All about ${text}.`,
        items: ['First.', 'Second.'],
        sources: range(0, sizeOf(text, 3)).map((k) => webPage('source', text, k)),
      };
/** Whether the overview of a query stands in the web search itself, or is fetched with a token. */
export const isInline = (text: string): boolean => hash('inline', text) % 2 === 0;

export interface Job {
  readonly id: string;
  readonly title: string;
  readonly company: string;
  readonly location: string;
  readonly link: string;
  readonly date: string;
}
export const jobs = (world: World, text: string): Job[] =>
  rowsOf(world, text, 27).map((k) => ({
    id: Buffer.from(JSON.stringify({ job: text, k })).toString('base64'),
    title: `${text} ${k}`,
    company: pick(hosts, 'company', text, k),
    location: pick(towns, 'job', text, k).name,
    link: `https://jobs.example/${slug(text)}-${k}`,
    date: cameAt(k),
  }));

export interface Hotel {
  readonly token: string;
  readonly name: string;
  readonly price: number;
  readonly rating: number;
  readonly reviews: number;
  readonly stars: number;
  readonly latitude: number;
  readonly longitude: number;
}
export const hotelOf = (token: string, night = ''): Hotel => {
  const [text, k] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [string, number];
  return {
    token,
    name: `Hotel ${pick(hosts, token)} ${k}`,
    price: whole(60, 240, token, night),
    rating: whole(30, 50, token) / 10,
    reviews: whole(1, 900, token),
    stars: whole(2, 5, token),
    latitude: townOf(text).latitude + k / 1000,
    longitude: townOf(text).longitude,
  };
};
export const hotels = (world: World, text: string, night = ''): Hotel[] =>
  rowsOf(world, text, 38).map((k) => hotelOf(Buffer.from(JSON.stringify([text, k])).toString('base64url'), night));

export interface Store {
  readonly name: string;
  readonly link: string;
  readonly price: number;
}
/** The product of a token, with the stores that sell it. */
export const product = (token: string): { readonly title: string; readonly brand: string; readonly stores: readonly Store[] } => ({
  title: `Product ${token.slice(0, 12)}`,
  brand: pick(hosts, 'brand', token),
  stores: range(0, sizeOf(token, 11)).map((k) => ({
    name: `Store ${k}`,
    link: `https://store-${k}.example/${slug(token)}`,
    price: whole(10, 90, 'price', token, k),
  })),
});

interface Town {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
}
const towns: readonly Town[] = [
  { name: 'New York', latitude: 40.74, longitude: -73.98 },
  { name: 'Vienna', latitude: 48.21, longitude: 16.37 },
  { name: 'Lisbon', latitude: 38.72, longitude: -9.14 },
  { name: 'Bern', latitude: 46.95, longitude: 7.45 },
];
const townOf = (text: string): Town => towns.find(({ name }) => text.includes(name)) ?? towns[0]!;

/** A part of the map. */
export interface View {
  readonly latitude: number;
  readonly longitude: number;
  readonly zoom: number;
}

export interface Place {
  /** 0x…:0x…, ChIJ… and decimal digits: three spellings of one number. */
  readonly dataId: string;
  readonly placeId: string;
  readonly cid: string;
  readonly title: string;
  readonly type: string;
  readonly address: string;
  readonly town: string;
  readonly phone: string;
  readonly website: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly rating: number;
  readonly reviews: number;
}

/** What a search of the map brings at most, whatever there is. */
export const mapCap = 120;

/** The places of a query, in view if one is given, else in the town that the query names. */
export function places(world: World, text: string, view?: View): Place[] {
  const words = towns.reduce((rest, { name }) => rest.replace(name, ''), text.toLowerCase());
  const size = sizeOf(text, 45);
  const inTown = (town: Town): Place[] =>
    // a place more each day, at the end
    range(0, size === 0 ? 0 : size + world.day).map((k) => placeOf(world, `0x0:0x${second(town, words, k)}`)!);
  if (view === undefined) return inTown(townOf(text)).slice(0, mapCap);
  const across = (1024 * 360) / 256 / 2 ** view.zoom / 2;
  const down = across * (768 / 1024) * Math.cos((view.latitude * Math.PI) / 180);
  return towns
    .flatMap(inTown)
    .filter(({ latitude, longitude }) => Math.abs(latitude - view.latitude) <= down && Math.abs(longitude - view.longitude) <= across)
    .slice(0, mapCap);
}

/** The second half of a data_id: which town, which words, which of them. It is larger than 2^53. */
const second = (town: Town, words: string, k: number): string => `a${towns.indexOf(town)}${hex(hash(words), 8)}${hex(k, 4)}5e`;

/** A place by its data_id, place_id or cid. undefined for what isn't one. */
export function placeOf(world: World, id: string): Place | undefined {
  let own: string | undefined;
  if (/^0x[\da-f]+:0x[\da-f]+$/.test(id)) own = id.split(':0x')[1]!.padStart(16, '0');
  else if (/^ChIJ[\w-]+$/.test(id)) own = Buffer.from(id.slice(4), 'base64url').toString('hex').slice(16, 32).padEnd(16, '0');
  else if (/^\d+$/.test(id)) own = BigInt(id).toString(16).padStart(16, '0');
  if (own === undefined || /^0*$/.test(own)) return undefined;
  const first = hex(hash('first', own), 8) + hex(hash('half', own), 8);
  const town = towns[Number(own[1])] ?? towns[0]!;
  const k = Number.parseInt(own.slice(10, 14), 16);
  const count = [12, 31, 0, 8, 47, 1][k % 6]!;
  const name = pick(hosts, 'place', own);
  return {
    dataId: `0x${first}:0x${own}`,
    placeId: `ChIJ${Buffer.from(first + own, 'hex').toString('base64url')}`,
    cid: BigInt(`0x${own}`).toString(),
    title: `The ${name} ${k}`,
    type: pick(['Cafe', 'Dentist', 'Bakery'], own),
    address: `${k} ${name} Street, ${town.name}`,
    town: town.name,
    phone: `+1 555 ${hex(k, 4)}`,
    website: `https://${name}-${k}.example/`,
    latitude: Number((town.latitude + whole(-20_000, 20_000, 'latitude', own) / 1e6).toFixed(6)),
    longitude: Number((town.longitude + whole(-30_000, 30_000, 'longitude', own) / 1e6).toFixed(6)),
    rating: count === 0 ? 0 : whole(30, 50, 'rating', own) / 10,
    reviews: count === 0 ? 0 : count + world.day,
  };
}

export interface Review {
  readonly id: string;
  readonly rating: number;
  readonly text: string;
  readonly time: string;
  readonly likes: number;
  readonly link: string;
  readonly topic: string;
  readonly user: { readonly name: string; readonly id: string; readonly link: string; readonly reviews: number };
  /** What the owner replied. */
  readonly reply: string | undefined;
}
export const topics = [
  { keyword: 'cake', id: '/m/0fszt' },
  { keyword: 'service', id: '/m/06mbny' },
];
export type ReviewOrder = 'relevant' | 'newest' | 'highest' | 'lowest';

/** The reviews of a place in an order, of a topic if one is named. */
export function reviews(world: World, place: Place, order: ReviewOrder, topic?: string): Review[] {
  const all = range(place.reviews === 0 ? 0 : -world.day, place.reviews === 0 ? 0 : place.reviews - world.day).map((k): Review => {
    const by = whole(1, 99_999, place.cid, k);
    const id = Buffer.from(`${place.cid}/${k}`).toString('base64url');
    return {
      id,
      rating: whole(1, 5, 'stars', place.cid, k),
      text: `Review ${k} of ${place.title}.`,
      time: cameAt(k),
      likes: whole(0, 3, 'likes', place.cid, k),
      link: `https://maps.example/reviews/${id}`,
      topic: pick(topics, 'topic', place.cid, k).id,
      user: { name: `User ${by}`, id: String(10 ** 11 + by), link: `https://maps.example/contrib/${by}`, reviews: by % 40 },
      reply: k % 5 === 0 ? 'Thank you.' : undefined,
    };
  });
  const order_ = {
    relevant: (a: Review, b: Review) => hash(a.id) - hash(b.id),
    newest: (a: Review, b: Review) => (a.time < b.time ? 1 : -1),
    highest: (a: Review, b: Review) => b.rating - a.rating,
    lowest: (a: Review, b: Review) => a.rating - b.rating,
  };
  return all.filter((review) => topic === undefined || review.topic === topic).toSorted(order_[order]);
}

export const photoCategories = [
  { id: 'CgIYIQ', name: 'Menu' },
  { id: 'CgIYIg', name: 'Vibe' },
];
export const photos = (place: Place, category?: string): { readonly image: string; readonly thumbnail: string; readonly date: string }[] =>
  place.reviews === 0
    ? []
    : range(0, 27)
        .filter((k) => category === undefined || photoCategories[k % 2]!.id === category)
        .map((k) => ({
          image: `https://img.example/places/${place.cid}/${k}.jpg`,
          thumbnail: `https://img.example/places/${place.cid}/${k}-small.jpg`,
          date: cameAt(k),
        }));
export const posts = (
  world: World,
  place: Place,
): { readonly text: string; readonly link: string; readonly date: string; readonly image: string }[] =>
  range(place.reviews === 0 ? 0 : -world.day, place.reviews === 0 ? 0 : 13).map((k) => ({
    text: `Post ${k} of ${place.title}`,
    link: `https://maps.example/posts/${place.cid}/${k}`,
    date: cameAt(k),
    image: `https://img.example/posts/${place.cid}/${k}.jpg`,
  }));

export interface Work {
  readonly id: string;
  readonly title: string;
  readonly link: string;
  readonly year: number;
  readonly summary: string;
  readonly authors: readonly { readonly name: string; readonly id: string }[];
  readonly citedBy: number;
  readonly citesId: string;
  readonly versions: number;
  readonly clusterId: string;
}
const authorId = (n: number): string => `au${Buffer.from(String(n)).toString('base64url')}AJ`;
function work(of: string, k: number): Work {
  const digits = String(10 ** 15 + hash('work', of, k));
  return {
    id: Buffer.from(digits).toString('base64url').slice(-12),
    title: `${of}: work ${k}`,
    link: `https://papers.example/${digits}`,
    year: whole(2008, 2026, 'year', of, k),
    summary: `A Author - Journal of ${pick(hosts, of, k)}`,
    authors: range(0, k % 3).map((n) => ({ name: `Author ${(k + n) % 5}`, id: authorId((k + n) % 5) })),
    citedBy: k % 4 === 0 ? 7 : 0,
    citesId: digits,
    versions: k % 5 === 0 ? 4 : 0,
    clusterId: digits,
  };
}
/** The works of a query, or those that cite a work, or the versions of one. */
export function works(
  world: World,
  {
    text = '',
    cites,
    cluster,
    from = 0,
    to = 9999,
  }: {
    readonly text?: string;
    readonly cites?: string | undefined;
    readonly cluster?: string | undefined;
    readonly from?: number;
    readonly to?: number;
  },
): Work[] {
  const of = cites === undefined ? (cluster === undefined ? text : `version of ${cluster}`) : `citing ${cites}`;
  const all = cites === undefined && cluster === undefined ? rowsOf(world, text, 43) : range(0, cites === undefined ? 4 : 7);
  return all.map((k) => work(of === '' ? 'work' : of, k)).filter(({ year }) => year >= from && year <= to);
}

/** An author with all articles. undefined for an id that isn't one. */
export const author = (id: string) =>
  !/^au.+AJ$/.test(id)
    ? undefined
    : {
        id,
        name: `Author of ${id}`,
        affiliations: `University of ${pick(hosts, id)}`,
        articles: range(0, 34).map((k) => ({
          id: `${id}:k${k}`,
          title: `Article ${k} of ${id}`,
          link: `https://papers.example/${id}/${k}`,
          publication: `Journal of ${pick(hosts, id, k)}`,
          year: String(whole(2000, 2026, id, k)),
          citedBy: whole(0, 50, 'cited', id, k),
        })),
      };
export const profiles = (text: string) => range(0, sizeOf(text, 12)).map((k) => author(authorId(hash(text, k)))!);

/** A patent. undefined for an id that isn't one. */
export function patent(number: string) {
  if (!/^[A-Z]{2}\d+[A-Z]\d?$/.test(number)) return undefined;
  const filed = new Date(Date.parse('2010-01-01') + whole(0, 5000, number) * dayMs).toISOString().slice(0, 10);
  const cited = range(0, 3).map((k) => `US${whole(1_000_000, 9_999_999, 'cited', number, k)}B1`);
  return { number, title: `Patent ${number}`, country: number.slice(0, 2), filed, inventor: `Inventor ${pick(hosts, number)}`, cited };
}

/** A quote. undefined for a text that isn't a symbol of an exchange. */
export const quote = (text: string) =>
  /^[\w.-]+:[A-Z]+$/.test(text)
    ? {
        symbol: text.split(':')[0]!,
        exchange: text.split(':')[1]!,
        name: `${text} Inc.`,
        price: whole(100, 90_000, text) / 100,
        moved: 1.5,
      }
    : undefined;
