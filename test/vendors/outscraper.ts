import { atOnce, checkParams, numberAt, part, startStandIn, textAt } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const error = (status: number, words: string): VendorReply => ({ status, body: { error: true, errorMessage: words } });
const common = 'query*, language, region, fields, async=true|false, ui, webhook';
const keptMs = 4 * 3_600_000;
/** Dollars for a row. One user measured it for places. guess: the same for all */
const rowPrice = 0.003;

/** What a request brings, and how many rows are paid. */
interface Found {
  readonly data: readonly unknown[];
  readonly paid: number;
}

interface Api {
  readonly params: string;
  readonly answer: (queries: readonly string[], given: Given, at: world.World) => Found | VendorReply;
}

const placeRow = (query: string, one: world.Place) => ({
  query, name: one.title, full_address: one.address, city: one.town, country_code: 'US', latitude: one.latitude, longitude: one.longitude,
  site: one.website, phone: one.phone, type: one.type, category: one.type, subtypes: `${one.type}, Shop`, rating: one.reviews === 0 ? null : one.rating,
  reviews: one.reviews, reviews_per_score: { 1: 1, 5: 1 }, photos_count: 27, google_id: one.dataId, place_id: one.placeId, cid: one.cid,
  reviews_id: BigInt.asIntN(64, BigInt(one.cid)).toString(), working_hours: { Monday: '9AM–5PM' }, business_status: 'OPERATIONAL',
  about: {}, range: null, verified: true, location_link: `https://www.google.com/maps/place/${one.placeId}`,
}); // prettier-ignore

/** The place that a query names by an id, if it does. */
const named = (at: world.World, query: string): world.Place | undefined => world.placeOf(at, query);
const seconds = (iso: string): number => Date.parse(iso) / 1000;
/** mm/dd/yyyy, which doesn't sort as text. */
const american = (iso: string): string => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(0, 4)} ${iso.slice(11, 19)}`;
const orders = { most_relevant: 'relevant', newest: 'newest', highest_rating: 'highest', lowest_rating: 'lowest' } as const;

/** One list for each query. */
const lists = (queries: readonly string[], rowsOf: (query: string) => readonly object[]): Found => {
  const data = queries.map(rowsOf);
  return { data, paid: data.flat().length };
};

/** One entry for each query and each page of it. */
const pages = (
  queries: readonly string[],
  given: Given,
  block: string,
  rowsOf: (query: string) => readonly (object | undefined)[],
): Found => {
  const count = numberAt(given, 'pagesPerQuery', 1);
  const data = queries.flatMap((query) =>
    Array.from({ length: count }, (_, page) => {
      const rows = part(rowsOf(query), numberAt(given, 'skip', 0) + page * 10, 10).filter((row) => row !== undefined);
      return { query, [block]: rows, ads: [], related_questions: [] };
    }),
  );
  return { data, paid: data.length };
};

const mapsSearch: Api = {
  params: `${common}, organizationsPerQueryLimit#, limit#, skipPlaces#, coordinates, dropDuplicates=true|false, enrichment`,
  answer: (queries, given, at) => {
    const limit = numberAt(given, 'organizationsPerQueryLimit', numberAt(given, 'limit', 20)); // guess: the usual one
    const [skip, spot] = [numberAt(given, 'skipPlaces', 0), textAt(given, 'coordinates')];
    const [, latitude, longitude] = /^@?(-?[\d.]+),(-?[\d.]+)/.exec(spot ?? '') ?? [];
    if ((spot !== undefined && longitude === undefined) || limit < 1 || limit > 500 || skip % 20 !== 0) return error(422, 'Invalid parameters'); // guess: the words
    // guess: how wide it looks
    const view = spot === undefined ? undefined : { latitude: Number(latitude), longitude: Number(longitude), zoom: 14 };
    const found = lists(queries, (query) => {
      const one = named(at, query);
      return part(one === undefined ? world.places(at, query, view) : [one], skip, limit).map((place) => placeRow(query, place));
    });
    if (given['dropDuplicates'] !== 'true') return found;
    // one list of it
    const all = (found.data.flat() as { readonly place_id: string }[]).filter((row, index, rows) => rows.findIndex((other) => other.place_id === row.place_id) === index);
    return { data: all, paid: all.length };
  },
}; // prettier-ignore

const mapsReviews: Api = {
  params: `${common}, reviewsLimit#, limit#, sort=most_relevant|newest|highest_rating|lowest_rating, lastPaginationId, reviewsQuery, cutoff#, start#, cutoffRating#, ignoreEmpty=true|false, source`, // prettier-ignore
  answer: (queries, given, at) => {
    const limit = numberAt(given, 'reviewsLimit', 10) || Infinity; // guess: the usual one
    const cutoff = given['cutoff'] === undefined ? undefined : numberAt(given, 'cutoff', 0);
    const order = cutoff === undefined ? orders[(given['sort'] ?? 'most_relevant') as keyof typeof orders] : 'newest';
    let paid = 0;
    const data = queries.flatMap((query) => {
      const place = named(at, query) ?? world.places(at, query)[0];
      // a place without reviews isn't returned
      if (place === undefined || place.reviews === 0) return [];
      const all = world.reviews(at, place, order).filter(({ time }) => cutoff === undefined || seconds(time) >= cutoff);
      const last = textAt(given, 'lastPaginationId');
      const from = last === undefined ? 0 : all.findIndex(({ id }) => `p-${id}` === last) + 1;
      if (last !== undefined && from === 0) return []; // guess
      const shown = part(all, from, limit);
      paid += shown.length;
      const reviews_data = shown.map(({ id, rating, text, time, likes, link, user, reply }) => ({
        google_id: place.dataId, review_id: id, review_pagination_id: `p-${id}`, author_link: user.link, author_title: user.name, author_id: user.id,
        author_image: '', author_reviews_count: user.reviews, author_ratings_count: 1, review_text: text, review_img_urls: null, review_img_url: null,
        review_questions: null, review_photo_ids: null, owner_answer: reply ?? null, owner_answer_timestamp: reply === undefined ? null : seconds(time),
        review_link: link, review_rating: rating, review_timestamp: seconds(time), review_datetime_utc: american(time), review_likes: likes,
        reviews_id: BigInt.asIntN(64, BigInt(place.cid)).toString(),
      }));
      return [{ ...placeRow(query, place), reviews_data }]; // guess: an empty reviews_data after the last
    });
    return { data, paid };
  },
}; // prettier-ignore

const mapsPhotos: Api = {
  params: `${common}, photosLimit#, limit#, tag=all|latest|menu|by_owner`,
  answer: (queries, given, at) => {
    let paid = 0;
    const data = queries.flatMap((query) => {
      const place = named(at, query) ?? world.places(at, query)[0];
      if (place === undefined) return [];
      const category = given['tag'] === 'menu' ? world.photoCategories[0]!.id : undefined;
      const shown = world.photos(place, category).slice(0, numberAt(given, 'photosLimit', 100) || Infinity);
      paid += Math.max(1, shown.length);
      const photos_data = shown.map(({ image, thumbnail, date }) => ({
        photo_url: thumbnail, photo_url_big: image, original_photo_url: image, photo_date: american(date), photo_tags: ['all'],
      }));
      return [{ ...placeRow(query, place), photos_data }];
    });
    return { data, paid };
  },
}; // prettier-ignore

const webSearch: Api = {
  params: `${common}, pagesPerQuery#, uule, tbs=h|d|w|m|y, skip#, enrichment`,
  answer: (queries, given, at) => {
    const rowsOf = (query: string) =>
      world.webSlots(at, query).map((page) => page && { link: page.link, title: page.title, description: page.snippet });
    return pages(queries, given, 'organic_results', rowsOf);
  },
};

// guess: the form and the fields of the next four
const newsRows = ({ title, link, source, snippet, thumbnail, date }: world.Article) => ({
  title, link, source, description: snippet, thumbnail, date,
}); // prettier-ignore
const newsSearch: Api = {
  params: `${common}, pagesPerQuery#, uule, tbs=h|d|w|m|y, skip#`,
  answer: (queries, given, at) =>
    lists(queries, (query) =>
      part(world.news(at, query), numberAt(given, 'skip', 0), 10 * numberAt(given, 'pagesPerQuery', 1)).map(newsRows),
    ),
};
const imageSearch: Api = {
  params: `${common}, limit#, uule`,
  answer: (queries, given, at) =>
    lists(queries, (query) =>
      part(world.images(at, query), 0, numberAt(given, 'limit', 100)).map((one) => ({ ...newsRows(one), original: one.original })),
    ),
};
const videoSearch: Api = {
  params: `${common}, pagesPerQuery#, uule, tbs=h|d|w|m|y, skip#`,
  answer: (queries, given, at) =>
    lists(queries, (query) =>
      part(world.videos(at, query), numberAt(given, 'skip', 0), 10 * numberAt(given, 'pagesPerQuery', 1)).map(newsRows),
    ),
};
const jobSearch: Api = {
  params: `${common}, pagesPerQuery#, uule, tbs, skip#`,
  answer: (queries, given, at) =>
    lists(queries, (query) => {
      const rows = part(world.jobs(at, query), numberAt(given, 'skip', 0), 10 * numberAt(given, 'pagesPerQuery', 1));
      return rows.map(({ title, company, location, link }) => ({
        title,
        company_name: company,
        location,
        description: title,
        salary: null,
        link,
      }));
    }),
};

/** Both generations of paths. */
const apis: { readonly [path: string]: Api } = {
  '/google-maps-search': mapsSearch,
  '/maps/search-v3': mapsSearch,
  '/google-maps-reviews': mapsReviews,
  '/maps/reviews-v3': mapsReviews,
  '/google-maps-photos': mapsPhotos,
  '/maps/photos-v3': mapsPhotos,
  '/google-search': webSearch,
  '/google-search-v3': webSearch,
  '/google-search-news': newsSearch,
  '/google-search-images': imageSearch,
  '/google-search-images-v2': imageSearch,
  '/google-search-videos': videoSearch,
  '/google-search-careers': jobSearch,
};

const vendor = (): Vendor => {
  const kept = new Map<string, { readonly data: readonly unknown[]; pending: number; readonly at: number }>();
  return {
    key: 'T3V0c2NyYXBlcktleXw5ODc2NTQzMjE',
    keyOf: ({ headers, query }) => headers['x-api-key']?.toString() ?? query['apiKey']?.toString(),
    // guess: the statuses, known from use, and the words
    says: {
      wrongKey: error(401, 'Invalid API key'),
      noCredits: error(402, 'Not enough balance'),
      tooFast: error(429, 'Too many requests'),
      tooMany: error(429, 'Too many requests'),
      outage: error(503, 'Service unavailable'),
    },
    answer: ({ method, path, query, body }, standIn) => {
      if (path === '/profile/balance' || path === '/balance')
        return { body: { balance: Math.min(standIn.credits, 1e9), usage_records: [] } };
      const [, id] = /^\/requests\/([\w-]+)$/.exec(path) ?? [];
      if (id !== undefined) {
        const task = kept.get(id);
        // one that is unknown or too old is pending for ever
        const isOver = task === undefined || standIn.now() - task.at > keptMs || task.pending-- > 0;
        return isOver
          ? { status: 202, headers: atOnce, body: { id, status: 'Pending' } }
          : { body: { id, status: 'Success', data: task.data } }; // guess: the 202
      }
      const api = apis[path];
      if (api === undefined || (method === 'POST' && path !== '/google-maps-search')) return error(404, 'Not found'); // guess
      const { apiKey: _, ...given } = { ...query, ...(body as Given | undefined) } as Given;
      const fault = checkParams(api.params, given, standIn, path);
      if (fault !== undefined) return error(422, `Invalid ${fault.name}`); // guess: the words
      const queries = [given['query']].flat().map(String);
      const region = textAt(given, 'region');
      if (queries.length > 250 || (region !== undefined && !/^[A-Z]{2}$/.test(region))) return error(422, 'Invalid parameters'); // guess: the words
      const found = api.answer(queries, given, standIn.world);
      if ('body' in found) return found;
      const cost = Number((found.paid * rowPrice).toFixed(6));
      const name = `r-${kept.size + 1}`;
      if (textAt(given, 'async') === 'false') {
        // an error that a 200 tells
        if (standIn.odd.has('errorIn200') && standIn.requests.length === 0)
          return { body: { error: true, errorMessage: 'Internal error' } };
        return { body: { id: name, status: 'Success', data: found.data }, cost };
      }
      kept.set(name, { data: found.data, pending: 2, at: standIn.now() });
      const host = standIn.odd.has('otherHost') ? 'https://api.outscraper.cloud' : standIn.url;
      return { status: 202, headers: atOnce, body: { id: name, status: 'Pending', results_location: `${host}/requests/${name}` }, cost };
    },
  };
};

/** Outscraper. Costs are dollars. Odd: otherHost (results stand at another host), errorIn200 (the first answer is a failure in a 200). */
export const startOutscraper = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor(), options);
