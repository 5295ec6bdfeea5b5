import { checkParams, numberAt, pageByToken, part, startStandIn, textAt, viewOf } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const says = (statusCode: number, message: string): VendorReply => ({ status: statusCode, body: { message, statusCode } });
const common = 'q*, gl, hl, location, tbs, autocorrect=true|false, page#';
const orders = { mostRelevant: 'relevant', newest: 'newest', highestRating: 'highest', lowestRating: 'lowest' } as const;
const pageSize = 10;

/** A type: the parameters it takes, what it costs, and its blocks. A list without rows is left out. */
interface Type {
  readonly params: string;
  readonly cost?: (given: Given) => number;
  readonly blocks: (given: Given, standIn: StandIn, from: (size: number) => number) => { readonly [block: string]: unknown } | VendorReply;
}

const placed = (one: world.Place, index: number) => ({
  position: index + 1,
  title: one.title,
  address: one.address,
  latitude: one.latitude,
  longitude: one.longitude,
  ...(one.reviews > 0 && { rating: one.rating, ratingCount: one.reviews }),
  type: one.type,
  types: [one.type],
  website: one.website,
  phoneNumber: one.phone,
  cid: one.cid,
  fid: one.dataId,
  // missing at times
  ...(index % 7 !== 6 && { placeId: one.placeId }),
});

const types: { readonly [name: string]: Type } = {
  search: {
    params: `${common}, num#=10, safe`, // guess: that 20 to 100 are refused now
    blocks: ({ q }, { world: at }, from) => ({
      organic: part(world.webSlots(at, String(q)), from(pageSize), pageSize)
        .filter((page) => page !== undefined)
        .map(({ link, title, snippet, date }, index) => ({ title, link, snippet, date: date.slice(0, 10), position: index + 1 })),
      relatedSearches: world.suggestions(String(q)).slice(0, 3).map(({ value }) => ({ query: value })),
    }),
  }, // prettier-ignore
  autocomplete: {
    params: 'q*, gl, hl, location',
    blocks: ({ q }) => ({ suggestions: world.suggestions(String(q)).map(({ value }) => ({ value })) }),
  },
  images: {
    params: `${common}, num#=10|100`,
    cost: (given) => (numberAt(given, 'num', 10) > 10 ? 2 : 1),
    blocks: (given, { world: at }, from) => {
      const size = numberAt(given, 'num', 10);
      return {
        images: part(world.images(at, String(given.q)), from(size), size).map((one, index) => ({
          title: one.title, imageUrl: one.original, imageWidth: one.width, imageHeight: one.height, thumbnailUrl: one.thumbnail,
          source: one.source, domain: one.host, link: one.link, position: index + 1,
        })),
      }; // prettier-ignore
    },
  },
  videos: {
    params: `${common}, num#=10`,
    blocks: ({ q }, { world: at }, from) => ({
      videos: part(world.videos(at, String(q)), from(pageSize), pageSize).map(({ title, link, snippet, duration, source }, index) => ({
        title, link, snippet, duration, source, position: index + 1,
      })),
    }), // prettier-ignore
  },
  news: {
    params: `${common}, num#=10`,
    blocks: ({ q }, { world: at }, from) => ({
      news: part(world.news(at, String(q)), from(pageSize), pageSize).map(({ title, link, snippet, source, thumbnail }, index) => ({
        title, link, snippet, date: '2 hours ago', source, imageUrl: thumbnail, position: index + 1,
      })),
    }), // prettier-ignore
  },
  maps: {
    params: 'q, ll, hl, gl, page#, placeId, cid, num#, location, tbs, autocorrect=true|false', // the last three only by what is said of all types
    cost: () => 3,
    blocks: (given, { world: at }, from) => {
      const [q, ll, one] = [textAt(given, 'q'), textAt(given, 'll'), textAt(given, 'placeId') ?? textAt(given, 'cid')];
      if (one !== undefined) {
        const place = world.placeOf(at, one);
        return { places: place === undefined ? [] : [placed(place, 0)] };
      }
      if (q === undefined) return says(400, 'Missing query parameter'); // guess: the words
      const view = ll === undefined ? undefined : viewOf(ll);
      if (ll !== undefined && (view === undefined || !ll.endsWith('z'))) return says(400, 'Invalid ll parameter'); // guess: the words
      // guess: without ll it pages all the same
      return { ll: ll ?? '@40.7,-74,14z', places: part(world.places(at, q, view), from(20), 20).map(placed) };
    },
  },
  places: {
    params: common,
    blocks: ({ q }, { world: at }, from) => ({
      places: part(world.places(at, String(q)), from(pageSize), pageSize).map((one, index) => ({
        position: index + 1, title: one.title, address: one.address, latitude: one.latitude, longitude: one.longitude,
        rating: one.rating, ratingCount: 6, category: one.type, cid: one.cid,
      })),
    }), // prettier-ignore
  },
  reviews: {
    params: 'cid, fid, placeId, gl, hl, sortBy=mostRelevant|newest|highestRating|lowestRating, topicId, nextPageToken',
    blocks: (given, standIn) => {
      const ids = ['cid', 'fid', 'placeId'].filter((name) => given[name] !== undefined);
      if (ids.length !== 1) return says(400, 'Exactly one of cid, fid, placeId is required'); // guess: the words
      const place = world.placeOf(standIn.world, textAt(given, ids[0]!)!);
      const { nextPageToken, ...owner } = given;
      const order = orders[(given['sortBy'] ?? 'mostRelevant') as keyof typeof orders];
      const rows = place === undefined ? [] : world.reviews(standIn.world, place, order, textAt(given, 'topicId'));
      const page = pageByToken(standIn, 'reviews', owner, textAt(given, 'nextPageToken'), rows, () => pageSize);
      if (page === 'stale') return says(400, 'Invalid nextPageToken'); // guess: the words
      return {
        reviews: page.rows.map(({ id, rating, text, time, likes, link, user, reply }) => ({
          rating, date: 'a month ago', isoDate: time, snippet: text, likes, user: { name: user.name, link: user.link, reviews: user.reviews },
          ...(reply !== undefined && { response: { date: 'a day ago', isoDate: time, snippet: reply } }), id, link,
        })),
        ...(nextPageToken === undefined && rows.length > 0 && { topics: world.topics.map(({ keyword, id }) => ({ name: keyword, reviews: 7, id })) }),
        // guess: absent at the end
        ...(page.next !== undefined && { nextPageToken: page.next }),
      }; // prettier-ignore
    },
  },
  scholar: {
    params: `${common}, as_ylo, as_yhi`,
    blocks: (given, { world: at }, from) => ({
      organic: part(world.works(at, { text: String(given.q), from: numberAt(given, 'as_ylo', 0), to: numberAt(given, 'as_yhi', 9999) }), from(pageSize), pageSize).map(
        ({ id, title, link, year, summary, citedBy }) => ({ title, link, publicationInfo: summary, year, citedBy, id }),
      ),
    }), // prettier-ignore
  },
  patents: {
    params: 'q*, page#, num#=10',
    blocks: ({ q }, { world: at }, from) => ({
      organic: part(world.webPages(at, String(q)), from(pageSize), pageSize).map(({ title, link }, index) => ({
        title, link, publicationNumber: `US${world.hash(link)}B1`, position: index + 1,
      })),
    }), // prettier-ignore
  },
};

function answered(path: string, given: Given, standIn: StandIn): VendorReply {
  const name = path.slice(1);
  const type = types[name];
  if (type === undefined) return says(404, 'Not found'); // guess
  const fault = checkParams(type.params, given, standIn, name);
  if (fault !== undefined) return says(400, `${fault.is === 'missing' ? 'Missing' : 'Invalid'} ${fault.name}`); // guess: the words
  if (standIn.odd.has('freeKey') && /\bsite:|\bOR\b|"/.test(String(given['q'])))
    return says(400, 'Query pattern not allowed for free accounts');
  const page = numberAt(given, 'page', 1);
  if (page < 1) return says(400, 'Invalid page'); // guess
  const blocks = type.blocks(given, standIn, (size) => (page - 1) * size);
  if ('status' in blocks) return blocks as VendorReply;
  let lists = Object.fromEntries(Object.entries(blocks).filter(([, rows]) => !Array.isArray(rows) || rows.length > 0));
  if (standIn.odd.has('lastRepeats') && page > 1 && Object.keys(lists).every((block) => !(block in rowsIn))) {
    const { [`page`]: _, ...before } = given; // guess: the page after the last repeats it
    const last = type.blocks({ ...before, page: page - 1 }, standIn, (size) => (page - 2) * size);
    lists = Object.fromEntries(Object.entries(last).filter(([, rows]) => !Array.isArray(rows) || rows.length > 0));
  }
  const credits = type.cost?.(given) ?? 1;
  return { body: { searchParameters: { ...given, type: name, engine: 'google' }, ...lists, credits }, cost: credits };
}
const rowsIn = { organic: 1, images: 1, videos: 1, news: 1, places: 1 };

const vendor: Vendor = {
  key: '1f2e3d4c5b6a79880102030405060708090a0b0c',
  limit: { requests: 50, perMs: 1000 },
  keyOf: ({ headers, query }) => headers['x-api-key']?.toString() ?? query['apiKey']?.toString(),
  says: {
    wrongKey: says(403, 'Unauthorized. Sign up for a free account.'),
    noCredits: says(400, 'Not enough credits'),
    tooFast: says(429, 'Rate limit exceeded'), // guess: the words
    tooMany: says(429, 'Rate limit exceeded'), // guess: the words
    outage: says(503, 'Service unavailable'), // guess: the words
  },
  answer: ({ method, path, query, body }, standIn) => {
    if (path === '/account') return { body: { balance: Math.min(standIn.credits, 1e9), rateLimit: 50 } };
    if (method === 'GET') {
      const { apiKey: _, ...given } = query;
      return answered(path, given, standIn);
    }
    if (!Array.isArray(body)) return answered(path, (body ?? {}) as Given, standIn);
    // a small batch costs three times as much
    if (body.length > 100 || path === '/reviews') return says(400, 'Invalid batch'); // guess: the words
    const each = body.map((given) => answered(path, given as Given, standIn));
    return (
      each.find(({ status }) => status !== undefined) ?? {
        body: each.map(({ body }) => body),
        cost: each.reduce((sum, { cost = 0 }) => sum + 3 * cost, 0),
      }
    );
  },
};

/** Serper. Odd: freeKey (operators are refused), lastRepeats (the page after the last is the last again). */
export const startSerper = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor, options);
