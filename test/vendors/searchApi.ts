import { checkParams, numberAt, pageByToken, part, seal, startStandIn, textAt, unseal, viewOf } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const error = (status: number, text: string): VendorReply => ({ status, headers: { 'x-request-id': 'r-1' }, body: { error: text } });
const general = 'engine*, api_key, zero_retention=true|false, no_cache, link';
const local = 'location, uule, gl, hl, google_domain, cr, lr';
const times = 'last_1_minute|last_5_minutes|last_15_minutes|last_30_minutes|last_hour|last_day|last_week|last_month|last_year';
const period = `time_period=${times}, time_period_min, time_period_max`;
const device = 'device=desktop|mobile|tablet';
/** The longest address that it takes. guess: the number, and that it is a 414 */
const longestAddress = 8192;

/** The blocks of an answer. A list without rows is left out, and `list` says so. */
interface Found {
  readonly list: string;
  readonly rows: readonly object[];
  readonly beside?: object;
  readonly pagination?: object | undefined;
}

interface Engine {
  readonly params: string;
  /** The beginning of the text that says that there is nothing. Without one the list is missing, and no more. */
  readonly named?: string;
  readonly answer: (given: Given, standIn: StandIn) => Found | VendorReply | { readonly object: object };
}

/** Rows by `page`, from 1. The address of the next page is one of Google. */
function byPage(given: Given, list: string, rows: readonly (object | undefined)[], size: number, sign = true): Found {
  const page = numberAt(given, 'page', 1);
  const more = page * size < rows.length ? { next: `https://www.google.com/search?q=x&start=${page * size}` } : {};
  const shown = part(rows, (page - 1) * size, size).filter((row) => row !== undefined);
  return { list, rows: shown, pagination: sign ? { current: page, ...more } : undefined };
}

/** Rows by `next_page_token`. Each token of reviews is longer than the one before: 2, 5 and 8 KB. */
function byToken(given: Given, standIn: StandIn, list: string, rows: readonly object[], size: number): Found | VendorReply {
  const { next_page_token: token, api_key: _, num: __, ...owner } = given;
  const page = pageByToken(standIn, list, owner, token === undefined ? undefined : textAt(given, 'next_page_token'), rows, () => size);
  if (page === 'stale') return error(400, 'Unsupported value in next_page_token parameter.'); // guess: the words
  const grown = list === 'reviews' || list === 'photos' ? `.${'x'.repeat(2000 + (page.from / size) * 3000)}` : '';
  return { list, rows: page.rows, pagination: page.next === undefined ? undefined : { next_page_token: page.next + grown } };
}

const textOf = ({ q }: Given): string => String(q);
const blocksOf = ({ text, items, sources }: world.Answer) => ({
  text_blocks: [
    { type: 'paragraph', answer: text, reference_indexes: [0] },
    { type: 'unordered_list', items: items.map((item) => ({ type: 'paragraph', answer: item })) }, // guess: the form of an item
  ],
  markdown: text,
  reference_links: sources.map(({ title, link, snippet, host }, index) => ({ index, title, link, snippet, source: host })),
});

const orders = { most_relevant: 'relevant', newest: 'newest', highest_rating: 'highest', lowest_rating: 'lowest' } as const;

/** The place that `data_id` or `place_id` names. */
function placeIn(given: Given, standIn: StandIn): world.Place | VendorReply | undefined {
  const id = textAt(given, 'data_id') ?? textAt(given, 'place_id');
  if (id === undefined) return error(400, 'Missing required parameter: either place_id or data_id');
  return world.placeOf(standIn.world, id);
}

const web = (list: string): Engine => ({
  params: `q, kgmid, ${device}, ${local}, filter=0|1, nfpr=0|1, safe=blur|off|active, ${period}, verbatim=true, page#, num#=10, optimization_strategy=ads|performance`, // prettier-ignore
  named: 'Google',
  answer: (given, standIn) => {
    if (given['q'] === undefined && given['kgmid'] === undefined) return error(400, 'Missing required parameter q.');
    const [q, first] = [textOf(given), numberAt(given, 'page', 1) === 1];
    const answer = world.answer(q);
    const rows = world.webSlots(standIn.world, q).map(
      (page, index) =>
        page && { position: (index % 10) + 1, title: page.title, link: page.link, source: page.host, domain: page.host,
          snippet: page.snippet, date: page.date, favicon: 'data:image/png;base64,AAAA' },
    ); // prettier-ignore
    const token = { page_token: seal(standIn, 'overview', q) };
    const overview = answer !== undefined && first ? { ai_overview: world.isInline(q) ? blocksOf(answer) : token } : {};
    const beside = { search_information: { query_displayed: q, total_results: 1000, has_no_results_for: false }, ...overview };
    return { ...byPage(given, list, rows, 10), beside };
  },
});

const articles = (given: Given, list: string, at: world.World, size: number, sign = true): Found =>
  byPage(given, list, world.news(at, textOf(given)).map(({ title, link, source, date, snippet, thumbnail }, index) => ({
    position: (index % 10) + 1, title, link, source, date: '2 hours ago', iso_date: date, snippet, thumbnail,
  })), size, sign); // prettier-ignore

const videoRows = (given: Given, at: world.World): object[] =>
  world.videos(at, textOf(given)).map(({ title, link, host, duration, thumbnail }, index) => ({
    position: (index % 10) + 1, title, link, displayed_link: host, length: duration, thumbnail,
  })); // prettier-ignore

const engines: { readonly [name: string]: Engine } = {
  google: web('organic_results'),
  google_light: { ...web('organic_results'), params: 'q*, location, gl, hl, page#' },
  google_autocomplete: {
    params: 'q*, hl, gl',
    named: 'Google Autocomplete', // guess
    answer: (given) => ({
      list: 'suggestions',
      rows: world.suggestions(textOf(given)).map((one) => ({ ...one, type: 'QUERY' })),
      beside: { verbatim_relevance: 851 },
    }),
  },
  google_ai_mode: {
    params: 'q*, url, location, hl, gl',
    named: 'Google AI Mode', // guess
    answer: (given) => {
      const answer = world.answer(textOf(given));
      return answer === undefined ? { list: 'text_blocks', rows: [] } : { object: { ...blocksOf(answer), web_results: [] } };
    },
  },
  google_ai_overview: {
    params: 'page_token*',
    named: 'Google AI Overview', // guess
    answer: (given, standIn) => {
      const [q] = unseal(standIn, 'overview', textAt(given, 'page_token')!, 60_000) ?? [];
      return q === undefined ? error(400, 'The page_token has expired.') : { object: blocksOf(world.answer(q as string)!) }; // guess: the words
    },
  },
  google_images: {
    params: `q*, ${device}, ${local}, tbs, aspect_ratio=square|tall|wide|panoramic, color, image_type=face|photo|clipart|line_drawing|gif, size, time_period=${times}, usage_rights=commercial_or_other_licenses|creative_commons_licenses, safe=blur|off|active, nfpr=0|1, filter=0|1, page#`, // prettier-ignore
    named: 'Google Images',
    // guess: a hundred on a page
    answer: (given, { world: at }) =>
      byPage(given, 'images', world.images(at, textOf(given)).map((one, index) => ({
        position: (index % 100) + 1, title: one.title, source: { name: one.source, link: one.link }, thumbnail: one.thumbnail,
        original: { link: one.original, width: one.width, height: one.height },
      })), 100, false),
  }, // prettier-ignore
  google_videos: {
    params: 'q*, location, gl, hl, page#',
    named: 'Google Videos', // guess
    answer: (given, { world: at }) => byPage(given, 'videos', videoRows(given, at), 10, false), // guess: that it pages
  },
  google_videos_light: {
    params: 'q*, location, gl, hl, page#',
    named: 'Google Videos', // guess
    answer: (given, { world: at }) => byPage(given, 'videos', videoRows(given, at), 10),
  },
  google_news: {
    params: `q*, ${device}, ${local}, filter=0|1, nfpr=0|1, safe=blur|off|active, sort_by=relevance|most_recent, ${period}, page#`,
    named: 'Google News', // guess
    answer: (given, { world: at }) => articles(given, 'organic_results', at, 10),
  },
  google_news_portal: {
    params: 'q, topic_token, publication_token, section_token, story_token, ceid, gl, hl',
    named: 'Google News', // guess
    answer: (given, { world: at }) => articles({ q: given['q'] ?? given['topic_token'] ?? given['publication_token'] }, 'organic_results', at, 100, false), // prettier-ignore
  },
  google_news_light: {
    params: 'q*, hl, gl, page#',
    named: 'Google News', // guess
    answer: (given, { world: at }) => articles(given, 'organic_results', at, 10),
  },
  google_jobs: {
    params: 'q*, uule, location, gl, google_domain, hl, chips, next_page_token',
    named: 'Google Jobs',
    answer: (given, standIn) =>
      byToken(given, standIn, 'jobs', world.jobs(standIn.world, textOf(given)).map((job) => ({
        title: job.title, company_name: job.company, location: job.location, via: 'Jobs', description: job.title, extensions: [],
        detected_extensions: {}, apply_links: [{ link: job.link, source: 'Jobs' }], sharing_link: job.link,
        ...(standIn.odd.has('jobIds') && { job_id: job.id }), // seen once
      })), 10),
  }, // prettier-ignore
  google_finance: {
    params: 'q*, hl, window=1D|5D|1M|6M|YTD|1Y|5Y|MAX',
    named: 'Google Finance', // guess
    answer: (given) => {
      const found = world.quote(textOf(given));
      if (found === undefined) return { object: { markets: {} } }; // guess
      const { symbol, exchange, price, name } = found;
      return { object: { summary: { title: name, stock: symbol, exchange, price, currency: 'USD' }, knowledge_graph: { stats: [{ label: 'High', value: '1' }] } } }; // prettier-ignore
    },
  },
  google_hotels: {
    params: 'check_in_date*, check_out_date*, bounding_box, q, gl, currency, hl, amenities, price_max#, price_min#, property_type=hotel|vacation_rental, property_types, rating=7|8|9, sort_by=highest_rating|lowest_price|most_reviewed|relevance, brands, eco_certified=true|false, for_displaced_individuals=true|false, free_cancellation=true|false, hotel_class, special_offers=true|false, bathrooms#, bedrooms#, adults#, children_ages, next_page_token', // prettier-ignore
    named: 'Google Hotels',
    answer: (given, standIn) => {
      if ((given['q'] === undefined) === (given['bounding_box'] === undefined)) return error(400, 'Missing required parameter q.'); // guess: for both
      const rows = world.hotels(standIn.world, textOf(given), textAt(given, 'check_in_date'));
      const found = byToken(given, standIn, 'properties', rows.map((hotel) => ({
        type: 'hotel', name: hotel.name, property_token: hotel.token, price_per_night: { price: `$${hotel.price}`, extracted_price: hotel.price },
        total_price: { price: `$${hotel.price}`, extracted_price: hotel.price }, hotel_class: `${hotel.stars}-star hotel`,
        gps_coordinates: { latitude: hotel.latitude, longitude: hotel.longitude }, rating: hotel.rating, reviews: hotel.reviews,
      })), 20);
      return 'list' in found ? { ...found, beside: { brands: [{ id: 1, name: 'Brand' }] } } : found;
    },
  }, // prettier-ignore
  google_hotels_property: {
    params: 'property_token*, check_in_date*, check_out_date*, gl, currency, hl, adults#, children_ages',
    answer: (given) => {
      if (given['hl'] === 'en') return error(400, 'Unsupported value `en` in hl parameter. Supported values are en-US, de-DE');
      const hotel = world.hotelOf(textAt(given, 'property_token')!, textAt(given, 'check_in_date'));
      return { object: { property: { name: hotel.name, property_token: hotel.token, price_per_night: { extracted_price: hotel.price } } } }; // guess
    },
  },
  google_product_offers: {
    params: 'product_token*, hl, gl, page#',
    answer: (given) => {
      const { title, stores } = world.product(textAt(given, 'product_token')!);
      const rows = stores.map(({ name, link, price }, index) => ({
        position: (index % 10) + 1, title, link, price: `$${price}.00`, extracted_price: price, seller: { name }, // guess: the form of a seller
      })); // prettier-ignore
      // guess: ten on a page
      return {
        ...byPage(given, 'offers', rows, 10),
        beside: { search_information: { total_offers: stores.length }, product: { title, link: '' } },
      };
    },
  },
  google_maps: {
    params: 'q*, ll, location, gl, hl, google_domain, page#',
    named: 'Google Maps', // guess
    answer: (given, standIn) => {
      const ll = textAt(given, 'll');
      const view = ll === undefined ? undefined : viewOf(ll);
      if (ll !== undefined && view === undefined) return error(400, `Unsupported value \`${ll}\` in ll parameter.`);
      const rows = world.places(standIn.world, textOf(given), view).map((one, index) => ({
        position: (index % 20) + 1, ludocid: one.cid, place_id: one.placeId, data_id: one.dataId, title: one.title, address: one.address,
        phone: one.phone, website: one.website, ...(one.reviews > 0 && { rating: one.rating, reviews: one.reviews }),
        gps_coordinates: { latitude: one.latitude, longitude: one.longitude }, type: one.type, types: [one.type],
      })); // prettier-ignore
      return {
        ...byPage(given, 'local_results', rows, 20, false),
        beside: { search_information: { query_displayed: given['q'], state: '' } },
      };
    },
  },
  google_maps_place: {
    params: 'place_id, data_id, gl, hl',
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if (one === undefined || 'body' in one) return one ?? error(400, 'Place not found.'); // guess: the words
      const posts = world.posts(standIn.world, one).slice(0, 3);
      return { object: { place_result: { title: one.title, data_id: one.dataId, place_id: one.placeId, reviews: one.reviews, posts } } };
    },
  },
  google_maps_reviews: {
    params: 'place_id, data_id, sort_by=highest_rating|lowest_rating|most_relevant|newest, topic_id, gl, hl, next_page_token, num#',
    named: 'Google Maps Reviews',
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if (one !== undefined && 'body' in one) return one;
      const num = numberAt(given, 'num', 10);
      if (num < 1 || num > 20) return error(400, `Unsupported value \`${num}\` in num parameter.`);
      const order = orders[(given['sort_by'] ?? 'most_relevant') as keyof typeof orders];
      const all = one === undefined ? [] : world.reviews(standIn.world, one, order, textAt(given, 'topic_id'));
      const rows = all.map(({ id, rating, text, time, likes, link, user }) => ({
        rating, text, date: 'a month ago', iso_date: time, link, likes, user: { name: user.name, link: user.link, reviews: user.reviews },
        ...(!standIn.odd.has('noReviewIds') && { review_id: id }), // guess: that it is there
      })); // prettier-ignore
      const found = byToken(given, standIn, 'reviews', rows, num);
      return 'list' in found
        ? { ...found, beside: { topics: world.topics.map(({ keyword, id }) => ({ keyword, reviews: 7, id })) } }
        : found;
    },
  },
  google_maps_photos: {
    params: 'place_id, data_id, hl, category_id, next_page_token',
    answer: (given, standIn) => {
      const one = placeIn(given, standIn);
      if (one !== undefined && 'body' in one) return one;
      const rows = one === undefined ? [] : world.photos(one, textAt(given, 'category_id'));
      return byToken(given, standIn, 'photos', rows.map(({ image, thumbnail }) => ({ thumbnail, image })), 20); // prettier-ignore
    },
  },
  google_scholar: {
    params: 'q, hl, num#, page#, as_ylo#, as_yhi#, cites, cluster, as_sdt, lr, filter=0|1, scisbd, safe, as_vis, as_rr',
    named: 'Google Scholar',
    answer: (given, standIn) => {
      const [cites, cluster, num] = [textAt(given, 'cites'), textAt(given, 'cluster'), numberAt(given, 'num', 10)];
      if ([given['q'], cites, cluster].every((value) => value === undefined)) return error(400, 'Missing required parameter q.');
      if (num < 1 || num > 20) return error(400, `Unsupported value \`${num}\` in num parameter.`);
      const years = { from: numberAt(given, 'as_ylo', 0), to: numberAt(given, 'as_yhi', 9999) };
      const found = world.works(standIn.world, { text: textAt(given, 'q') ?? '', cites, cluster, ...years });
      const rows = found.map((work, index) => ({
        position: (index % num) + 1, title: work.title, data_cid: work.id, link: work.link, publication: work.summary, snippet: work.summary,
        authors: work.authors.map(({ name, id }) => ({ name, id, link: `https://scholar.example/citations?user=${id}` })),
        inline_links: {
          ...(work.citedBy > 0 && { cited_by: { cites_id: work.citesId, total: work.citedBy, link: `https://scholar.example/scholar?cites=${work.citesId}` } }),
          ...(work.versions > 0 && { versions: { total: work.versions, link: `https://scholar.example/scholar?cluster=${work.clusterId}`, cluster_id: work.clusterId } }),
        },
      })); // prettier-ignore
      return { ...byPage(given, 'organic_results', rows, num), beside: { search_information: { total_results: rows.length } } };
    },
  },
  google_scholar_author: {
    params: 'author_id*, hl, page#, num#, sort',
    named: 'Google Scholar Author', // guess
    answer: (given) => {
      const found = world.author(textAt(given, 'author_id')!);
      if (found === undefined) return { list: 'articles', rows: [] };
      const rows = found.articles.map(({ id, title, link, publication, year, citedBy }) => ({
        title, link, citation_id: id, authors: found.name, publication, year, cited_by: { total: citedBy }, // guess: citation_id and cited_by
      })); // prettier-ignore
      const num = numberAt(given, 'num', 20);
      return {
        ...byPage(given, 'articles', rows, num),
        beside: { author: { name: found.name, affiliations: found.affiliations }, co_authors: [] },
      };
    },
  },
  google_patents_details: {
    params: 'patent_id*',
    named: 'Google Patents', // guess
    answer: (given) => {
      const [, number] = /^(?:patent\/)?([A-Z\d]+)(?:\/[a-z]{2})?$/.exec(textAt(given, 'patent_id')!) ?? [];
      const found = world.patent(number ?? '');
      if (found === undefined) return { list: 'none', rows: [] };
      return {
        object: {
          title: found.title, type: 'patent', pdf: `https://patents.example/${number}.pdf`, publication_number: number, country: found.country,
          prior_art_keywords: [], prior_art_date: found.filed, application_number: `${number}A`, assignees: ['Acme'], events: [], images: [],
          inventors: [{ name: found.inventor, link: '' }], priority_date: found.filed, filing_date: found.filed, publication_date: found.filed,
          worldwide_applications: {}, external_links: [], classifications: [],
        },
      }; // prettier-ignore
    },
  },
};

const vendor = (): Vendor => {
  /** Searches that came once, for the odd ones that are empty at first. */
  const seen = new Set<string>();
  const search = (given: Given, standIn: StandIn): VendorReply => {
    const name = textAt(given, 'engine') ?? '';
    const engine = engines[name];
    if (engine === undefined) return error(400, `Unsupported value \`${name}\` in engine parameter.`); // guess: the words
    const fault = checkParams(`${general}, ${engine.params}`, given, standIn, name);
    if (fault?.is === 'missing') return error(400, `Missing required parameter ${fault.name}.`);
    const allowed = fault?.allowed?.join(', ') ?? 'numbers';
    if (fault !== undefined) return error(400, `Unsupported value \`${fault.value as string}\` in ${fault.name} parameter. Supported values are ${allowed}`); // prettier-ignore
    if (given['location'] !== undefined && given['uule'] !== undefined) return error(400, 'Unsupported location with uule.'); // guess: the words
    const found = engine.answer(given, standIn);
    if ('body' in found) return found;
    const { api_key: _, ...asked } = given;
    const id = `search_${world.hash(JSON.stringify(asked))}`;
    const metadata = {
      id,
      status: 'Success',
      request_url: 'https://www.google.com/search?q=x',
      json_url: `${standIn.url}/api/v1/searches/${id}`,
    };
    const head = { search_metadata: metadata, search_parameters: asked };
    const answered = (more: object): VendorReply => ({ headers: { 'x-request-id': id }, body: { ...head, ...more }, cost: 1 });
    if ('object' in found) return answered(found.object);
    const { list, beside = {}, pagination } = found;
    const isFirst = !seen.has(id);
    seen.add(id);
    const rows =
      standIn.odd.has('emptyAtFirst') && name === 'google' && isFirst && (pagination as { next?: string } | undefined)?.next !== undefined
        ? []
        : found.rows;
    const pages = pagination === undefined ? {} : { pagination };
    if (rows.length > 0) return answered({ ...beside, [list]: rows, ...pages });
    // once the rows are there, but not shown
    if (found.rows.length > 0) return answered({ ...beside, ...pages });
    return answered(engine.named === undefined || standIn.odd.has('noList') ? {} : { error: `${engine.named} didn't return any results.` });
  };
  return {
    key: 'SearchApiKey1a2b3c4d5e6f',
    limit: { requests: 2000, perMs: 3_600_000 },
    keyOf: ({ headers, query, body }) =>
      /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? query['api_key']?.toString() ?? textAt((body ?? {}) as Given, 'api_key'),
    says: {
      wrongKey: error(401, 'Invalid API key.'),
      noCredits: error(429, 'You have used all of the searches for the month. Please upgrade your plan on SearchApi.io.'),
      tooFast: error(429, 'You have exceeded the hourly limit.'), // guess: the words
      tooMany: error(429, 'Too many requests.'), // guess: that there is such a limit
      outage: error(503, 'We could not retrieve results for this search. Please try again later.'),
    },
    answer: ({ method, path, query, body }, standIn) => {
      const left = Math.min(standIn.credits, 1e9);
      const usage = { searches_this_hour: standIn.charged, hourly_rate_limit: 2000 };
      if (path === '/api/v1/me') return { body: { account: { current_month_usage: standIn.charged, monthly_allowance: 0, remaining_credits: left }, api_usage: usage, subscription: {} } }; // prettier-ignore
      if (path !== '/api/v1/search') return error(404, 'Not found.'); // guess
      if (method !== 'POST' && JSON.stringify(query).length > longestAddress) return error(414, 'URI Too Long');
      const reply = search({ ...query, ...(body as Given | undefined) }, standIn);
      // an outage that a 200 tells
      return standIn.odd.has('errorIn200') && reply.status === undefined && standIn.requests.length === 0
        ? { body: { error: 'We could not retrieve results for this search. Please try again later.' } }
        : reply;
    },
  };
};

/**
 * SearchApi. Odd: emptyAtFirst (a web search that has a next page shows its rows only when it comes again), noList (nothing found is said by nothing), jobIds (jobs have
 * one), noReviewIds (reviews have none), errorIn200 (the first answer is a failure in a 200).
 */
export const startSearchApi = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor(), options);
