import { checkParams, numberAt, pageByToken, part, seal, startStandIn, textAt, unseal, viewOf } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const error = (status: number, message: string): VendorReply => ({
  status,
  body: { requestMetadata: { id: 'r-0', status: 'error' }, message }, // guess: the words, and where they stand
});
const place = 'domain, gl, hl, location, uule';
const device = 'deviceType=desktop|mobile|tablet';
const common = `q*, ${place}, lr, tbs, safe=active|off, filter=0|1, nfpr=0|1, start#, num#`;

interface Path {
  readonly params: string;
  readonly cost: number;
  /** Blocks, of which an empty one is left out. */
  readonly answer: (given: Given, standIn: StandIn, path: string) => object | VendorReply;
}

/** Rows by `start`, with the address of the next page. */
function byStart(
  given: Given,
  path: string,
  list: string,
  rows: readonly (object | undefined)[],
  step: number,
  standIn: StandIn,
  param = 'start',
): object {
  const from = numberAt(given, param, 0) * (param === 'start' ? 1 : step);
  const to = from + step;
  const after = { ...given, [param]: param === 'start' ? to : to / step };
  const next = to < rows.length ? { pagination: { next: `${standIn.url}${path}?${new URLSearchParams(after as never).toString()}` } } : {};
  return { [list]: part(rows, from, step).filter((row) => row !== undefined), ...next };
}

function byToken(given: Given, standIn: StandIn, list: string, rows: readonly object[], size: number, beside: object = {}): object {
  const { nextPageToken: token, ...owner } = given;
  const page = pageByToken(standIn, list, owner, token === undefined ? undefined : textAt(given, 'nextPageToken'), rows, () => size);
  if (page === 'stale') return error(400, 'Stale nextPageToken');
  return { ...beside, [list]: page.rows, ...(page.next !== undefined && { pagination: { nextPageToken: page.next } }) };
}

/** The place that is named. One that isn't known is a 400. */
function placeIn(given: Given, standIn: StandIn): world.Place | VendorReply {
  const id = textAt(given, 'dataId') ?? textAt(given, 'placeId');
  if (id === undefined) return error(422, 'dataId or placeId is required');
  return world.placeOf(standIn.world, id) ?? error(400, 'Place not found');
}

const answerOf = ({ text, items, sources }: world.Answer) => ({
  textBlocks: [
    { type: 'paragraph', snippet: text },
    { type: 'list', list: items.map((item) => ({ snippet: item })) },
  ],
  references: sources.map(({ title, link, snippet, host }, index) => ({ index, title, link, snippet, source: host })),
});

const organic = (at: world.World, given: Given) =>
  world.webSlots(at, textAt(given, 'q')!).map(
    (page, index) =>
      page && { position: (index % 10) + 1, title: page.title, link: page.link, displayedLink: page.host, source: page.host,
        snippet: page.snippet, date: page.date },
  ); // prettier-ignore

const onMap = (one: world.Place, index: number) => ({
  position: (index % 20) + 1, title: one.title, placeId: one.placeId, dataId: one.dataId, address: one.address,
  gpsCoordinates: { latitude: one.latitude, longitude: one.longitude }, rating: one.rating, reviews: one.reviews, type: one.type,
  types: [one.type], phone: one.phone, website: one.website, openState: 'Open',
  workingHours: { timezone: 'Europe/Vienna', days: [{ day: 'Monday', time: '9–5' }] },
}); // prettier-ignore

const orders = {
  qualityScore: 'relevant',
  mostRelevant: 'relevant',
  newestFirst: 'newest',
  ratingHigh: 'highest',
  ratingLow: 'lowest',
} as const;

const paths: { readonly [path: string]: Path } = {
  'google/serp': {
    params: `${common}, ${device}, ludocid, lsig, kgmid, si, tbm`,
    cost: 10,
    answer: (given, standIn, path) => {
      const q = textAt(given, 'q')!;
      const answer = world.answer(q);
      const token = { pageToken: seal(standIn, 'overview', q), hasdataLink: `${standIn.url}/scrape/google/ai-overview` };
      const overview =
        answer === undefined || numberAt(given, 'start', 0) > 0 ? {} : { aiOverview: world.isInline(q) ? answerOf(answer) : token };
      const local = world.places(standIn.world, q).slice(0, 3);
      const localResults = { places: local.map(({ title, placeId }) => ({ title, placeId })) }; // guess: their form
      const beside = { searchInformation: { totalResults: 1000 }, ...overview, localResults };
      return { ...beside, ...byStart(given, path, 'organicResults', organic(standIn.world, given), 10, standIn) };
    },
  },
  'google-light/serp': {
    params: common,
    cost: 5,
    answer: (given, standIn, path) => byStart(given, path, 'organicResults', organic(standIn.world, given), 10, standIn),
  },
  'google/ai-mode': {
    params: 'q*, gl, hl, location, uule, continuable=true|false, subsequentRequestToken',
    cost: 5, // or 10: their pages differ
    answer: (given) => {
      const answer = world.answer(textAt(given, 'q')!);
      return answer === undefined ? {} : answerOf(answer);
    },
  },
  'google/ai-overview': {
    params: 'pageToken*',
    cost: 5,
    answer: (given, standIn) => {
      const [q] = unseal(standIn, 'overview', textAt(given, 'pageToken')!, 240_000) ?? [];
      return q === undefined ? error(400, 'Stale pageToken') : { aiOverview: answerOf(world.answer(q as string)!) };
    },
  },
  'google/images': {
    params: `q*, gl, hl, domain, location, uule, tbs, safe=active|off, filter=0|1, ${device}, ijn#`,
    cost: 5, // or 10: their pages differ
    answer: (given, standIn, path) => {
      const rows = world.images(standIn.world, textAt(given, 'q')!).map((one, index) => ({
        position: (index % 100) + 1, title: one.title, link: one.link, source: one.source, thumbnail: one.thumbnail, original: one.original,
        originalWidth: one.width, originalHeight: one.height,
      })); // prettier-ignore
      return byStart(given, path, 'imagesResults', rows, 100, standIn, 'ijn');
    },
  },
  'google/short-videos': {
    params: `q*, gl, hl, cr, lr, location, uule, ${device}, page#`,
    cost: 10, // or 5: their pages differ
    answer: (given, standIn, path) => {
      const rows = world.videos(standIn.world, textAt(given, 'q')!).map(({ title, link, source, duration, thumbnail }, index) => ({
        position: (index % 10) + 1, title, link, source, duration, thumbnail,
      })); // prettier-ignore
      return byStart(given, path, 'shortVideos', rows, 10, standIn, 'page'); // guess: ten on a page
    },
  },
  'google/news': {
    params: 'q, topicToken, storyToken, publicationToken, sectionToken, so=0|1, gl, hl',
    cost: 10,
    answer: (given, standIn) => {
      const named = ['q', 'topicToken', 'storyToken', 'publicationToken'].filter((name) => given[name] !== undefined);
      if (named.length !== 1) return error(422, 'q is required');
      const text = textAt(given, named[0]!)!;
      const newsResults = world.news(standIn.world, text).map(({ title, link, source, thumbnail, date }, index) => ({
        position: index + 1, title, link, source: { name: source, icon: '' }, thumbnail, date,
      })); // prettier-ignore
      return { newsResults, menuLinks: [{ title: 'World', topicToken: `topic ${text}` }] };
    },
  },
  'google/hotels': {
    params: 'q*, checkInDate*, checkOutDate*, adults#, children#, childrenAges, currency, minPrice#, maxPrice#, brands, hotelClass, freeCancellation=true|false, specialOffers=true|false, ecoCertified=true|false, vacationRentals=true|false, bedrooms#, bathrooms#, propertyToken, sortBy=lowestPrice|highestRating|mostReviewed, rating=threePointFivePlus|fourPlus|fourPointFivePlus, amenity[], propertyType[], gl, hl, nextPageToken', // prettier-ignore
    cost: 10,
    answer: (given, standIn) => {
      const night = textAt(given, 'checkInDate')!;
      const row = (hotel: world.Hotel) => {
        const rate = { lowest: `$${hotel.price}`, extractedLowest: hotel.price };
        return { name: hotel.name, propertyToken: hotel.token, type: 'hotel', link: 'https://hotel.example/', ratePerNight: rate, totalRate: rate,
          gpsCoordinates: { latitude: hotel.latitude, longitude: hotel.longitude }, hotelClass: `${hotel.stars}-star hotel`,
          extractedHotelClass: hotel.stars, overallRating: hotel.rating, reviews: hotel.reviews, amenities: ['Wi-Fi'] }; // prettier-ignore
      };
      const token = textAt(given, 'propertyToken');
      if (token !== undefined) return row(world.hotelOf(token, night)); // guess: the form of the details
      const all = world.hotels(standIn.world, textAt(given, 'q')!, night);
      const beside = { searchInformation: { totalResults: all.length }, brands: [{ id: 1, name: 'Brand' }] };
      return byToken(given, standIn, 'properties', all.map(row), 20, beside);
    },
  },
  'google/immersive-product': {
    params: 'pageToken*, moreStores=true|false, nextPageToken, gl, hl',
    cost: 5,
    answer: (given, standIn) => {
      const { title, brand, stores } = world.product(textAt(given, 'pageToken')!);
      const { nextPageToken: token, moreStores, ...owner } = given;
      const size = moreStores === 'true' ? 13 : 5; // guess: the sizes
      const page = pageByToken(
        standIn,
        'stores',
        owner,
        token === undefined ? undefined : textAt(given, 'nextPageToken'),
        stores,
        () => size,
      );
      if (page === 'stale') return error(400, 'Stale nextPageToken');
      const rows = page.rows.map(({ name, link, price }) => ({ name, link, price: `$${price}` }));
      const next = page.next !== undefined && { storesNextPageToken: page.next };
      return { productResults: { title, brand, rating: 4.5, reviews: 12, priceRange: '', stores: rows, ...next } };
    },
  },
  'google-maps/search': {
    params: 'q*, ll, start#, gl, hl, domain',
    cost: 5,
    answer: (given, standIn, path) => {
      const ll = textAt(given, 'll');
      const view = ll === undefined ? undefined : viewOf(ll);
      if ((ll !== undefined && view === undefined) || (ll === undefined && numberAt(given, 'start', 0) > 0))
        return error(422, 'll is invalid');
      return byStart(given, path, 'localResults', world.places(standIn.world, textAt(given, 'q')!, view).map(onMap), 20, standIn);
    },
  },
  'google-maps/reviews': {
    params: 'dataId, placeId, sortBy, topicId, hl, nextPageToken',
    cost: 5,
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if ('body' in one) return one;
      // one of two words is right, and which isn't known
      const relevant = standIn.odd.has('mostRelevant') ? 'mostRelevant' : 'qualityScore';
      const by = textAt(given, 'sortBy') ?? relevant;
      if (![relevant, 'newestFirst', 'ratingHigh', 'ratingLow'].includes(by)) return error(422, 'sortBy is invalid');
      const all = world.reviews(standIn.world, one, orders[by as keyof typeof orders], textAt(given, 'topicId'));
      const rows = all.map(({ id, rating, text, time, likes, link, user, reply }) => ({
        reviewId: id, rating, snippet: text, date: 'a month ago', isoDate: time, link, images: [], likes,
        user: { name: user.name, link: user.link, thumbnail: '', contributorId: user.id, localGuide: false, reviews: user.reviews, photos: 1 },
        ...(reply !== undefined && { response: { date: 'a day ago', isoDate: time, snippet: reply } }),
      })); // prettier-ignore
      const placeInfo = { title: one.title, address: one.address, rating: one.rating, reviews: one.reviews };
      const topics = world.topics.map((topic) => ({ ...topic, mentions: 7 }));
      return byToken(given, standIn, 'reviews', rows, 10, { placeInfo, topics });
    },
  },
  'google-maps/photos': {
    params: 'dataId, placeId, categoryId, hl, nextPageToken',
    cost: 5,
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if ('body' in one) return one;
      const rows = world.photos(one, textAt(given, 'categoryId')).map(({ image, thumbnail }) => ({ image, thumbnail }));
      return byToken(given, standIn, 'photos', rows, 20, { categories: world.photoCategories }); // guess: that categories have a name
    },
  },
  'google-maps/posts': {
    params: 'dataId, placeId, hl, nextPageToken',
    cost: 10,
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if ('body' in one) return one;
      const rows = world.posts(standIn.world, one).map(({ text, link, date, image }) => ({ description: text, link, date, image })); // guess: fields
      return { posts: [], ...byToken(given, standIn, 'posts', rows, 10) };
    },
  },
  'google-scholar/scholar': {
    params: 'q, asYlo#, asYhi#, cites, cluster, hl, lr, safe, filter, scisbd, asSdt, asVis, asRr, num#, start#',
    cost: 10, // guess: the path
    answer: (given, standIn, path) => {
      const [cites, cluster] = [textAt(given, 'cites'), textAt(given, 'cluster')];
      if ([given['q'], cites, cluster].every((value) => value === undefined)) return error(422, 'q is required');
      const years = { from: numberAt(given, 'asYlo', 0), to: numberAt(given, 'asYhi', 9999) };
      const rows = world.works(standIn.world, { text: textAt(given, 'q') ?? '', cites, cluster, ...years }).map((work, index) => ({
        position: index + 1, resultId: work.id, title: work.title, link: work.link, snippet: work.summary,
        publicationInfo: { summary: work.summary, authors: work.authors.map(({ name, id }) => ({ name, authorId: id, link: '' })) },
        ...(work.citedBy > 0 && { citedBy: { total: work.citedBy, citesId: work.citesId } }),
        ...(work.versions > 0 && { versions: { total: work.versions, clusterId: work.clusterId } }),
      })); // prettier-ignore
      return byStart(given, path, 'organicResults', rows, numberAt(given, 'num', 10), standIn);
    },
  },
};

const vendor: Vendor = {
  key: '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
  atOnce: 15,
  keyOf: ({ headers }) => headers['x-api-key']?.toString(),
  says: {
    wrongKey: error(401, 'Invalid API key'),
    noCredits: error(402, 'Not enough credits'), // guess: the facts don't say how
    tooFast: error(429, 'Too many concurrent requests'),
    tooMany: error(429, 'Too many concurrent requests'),
    outage: error(500, 'Internal server error'),
  },
  answer: ({ method, path, query }, standIn) => {
    const found = path.startsWith('/scrape/') ? paths[path.slice('/scrape/'.length)] : undefined;
    if (method !== 'GET' || found === undefined) return error(404, 'Not found'); // guess
    const fault = checkParams(found.params, query, standIn, path);
    if (fault !== undefined) return error(422, `${fault.name} is ${fault.is === 'missing' ? 'required' : 'invalid'}`);
    const blocks = found.answer(query, standIn, path);
    if ('body' in blocks) return blocks;
    // a block that Google didn't show is absent; only posts are an empty list
    const shown = Object.entries(blocks).filter(([name, rows]) => name === 'posts' || !Array.isArray(rows) || rows.length > 0);
    const requestMetadata = { id: `r-${standIn.requests.length + 1}`, status: 'ok', html: '', json: '' };
    return { body: { requestMetadata, ...Object.fromEntries(shown) }, cost: found.cost };
  },
};

/** HasData. Odd: mostRelevant (that is the word for the usual order of reviews, and qualityScore is refused). */
export const startHasData = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor, options);
