import { checkParams, numberAt, pageByToken, part, seal, startStandIn, textAt, unseal, viewOf } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const error = (status: number, text: string): VendorReply => ({ status, body: { message: text, success: false } });
const place = 'domain, country, language, uule, location';
const web = `query*, ${place}, lr, cr, tbs, safe=active|off, nfpr=0|1, filter=0|1, html=true|false, page#, results#, ludocid, lsig, kgmid, si, ibp, uds`;

/** The blocks of an answer, and what leads to the next page. */
interface Found {
  readonly blocks: object;
  readonly next?: { readonly [param: string]: string | number } | undefined;
  /** How many pages it lists, and what its addresses count in. */
  readonly count?: number;
  readonly step?: number;
  /** Where a token stands. */
  readonly at?: 'pagination' | 'scrapingdog_pagination';
}

interface Path {
  readonly params: string;
  /** @default 5 */
  readonly cost?: (given: Given) => number;
  readonly answer: (given: Given, standIn: StandIn) => Found | VendorReply;
}

function byToken(
  given: Given,
  standIn: StandIn,
  list: string,
  rows: readonly object[],
  size: number,
  at: Found['at'],
  beside: object = {},
): Found | VendorReply {
  const { next_page_token: token, api_key: _, results: __, ...owner } = given;
  const page = pageByToken(standIn, list, owner, token === undefined ? undefined : textAt(given, 'next_page_token'), rows, () => size);
  if (page === 'stale') return error(400, 'next_page_token is invalid'); // guess: the words
  const next = page.next === undefined ? undefined : { next_page_token: page.next };
  return { blocks: { ...beside, [list]: page.rows }, next, ...(at !== undefined && { at }) };
}

const blocksOf = ({ text, items, sources }: world.Answer) => ({
  text_blocks: [
    { type: 'paragraph', snippet: text },
    { type: 'list', list: items.map((item) => ({ title: '', snippet: item })) },
  ],
  references: sources.map(({ title, link, snippet, host }, index) => ({ title, link, snippet, source: host, index: index + 1 })),
});

const onMap = (one: world.Place, index: number) => ({
  title: one.title,
  place_id: one.placeId,
  data_id: one.dataId,
  data_cid: one.cid,
  gps_coordinates: { latitude: one.latitude, longitude: one.longitude },
  rating: one.rating,
  reviews: one.reviews,
  type: one.type,
  types: [one.type],
  address: one.address,
  phone: one.phone,
  website: one.website,
  open_state: 'Open',
  operating_hours: { monday: '9–5' },
  rank: index + 1,
});

const article = ({ title, link, source, thumbnail, date }: world.Article, index: number) => ({
  title, link, thumbnail, source, icon: '', authors: [], date, rank: index + 1,
}); // prettier-ignore
const orders = { qualityScore: 'relevant', newestFirst: 'newest', ratingHigh: 'highest', ratingLow: 'lowest' } as const;

const paths: { readonly [path: string]: Path } = {
  '/google': {
    params: `${web}, advance_search=true|false, mob_search=true|false`,
    cost: (given) => (given['advance_search'] === 'true' || given['mob_search'] === 'true' ? 10 : 5),
    answer: (given, standIn) => {
      if (given['location'] !== undefined && given['uule'] !== undefined) return error(400, 'location and uule cannot be used together'); // guess: the words
      const [q, page] = [String(given['query']), numberAt(given, 'page', 0)];
      const answer = world.answer(q);
      const slots = world.webSlots(standIn.world, q);
      const size = numberAt(given, 'results', 10);
      const rows = part(slots, page * size, size).filter((one) => one !== undefined);
      const organic_results = rows.map(({ title, link, host, snippet, date }, index) => ({
        title, displayed_link: host, snippet, date, missing: [], link, favicon: '', rank: index + 1, page_rank: index + 1,
      })); // prettier-ignore
      const local = world.places(standIn.world, q).slice(0, 3);
      const local_results = local.map((one, index) => ({
        position: index + 1,
        title: one.title,
        place_id: one.placeId,
        rating: `${one.rating}`,
      }));
      const overview = { ai_overview_url: `https://www.google.com/async/folsrch?q=${seal(standIn, 'overview', q)}` };
      const advanced = given['advance_search'] === 'true' && answer !== undefined && page === 0 ? overview : {};
      return {
        blocks: { organic_results, local_results, ...advanced },
        count: Math.ceil(slots.length / size),
        next: (page + 1) * size < slots.length ? { page: page + 1 } : undefined,
      };
    },
  },
  '/google_autocomplete': {
    params: 'query*, country, language',
    answer: ({ query }) => ({
      blocks: { suggestions: world.suggestions(String(query)).map((one) => ({ ...one, type: 'QUERY' })), verbatim_relevance: 851 },
    }),
  },
  '/google/ai_mode': {
    params: 'query*, country, language, location, uule, safe, html',
    cost: () => 10,
    answer: ({ query }) => {
      const answer = world.answer(String(query));
      return { blocks: answer === undefined ? { text_blocks: [], references: [] } : blocksOf(answer) };
    },
  },
  '/google/ai_overview': {
    params: 'url*',
    answer: (given, standIn) => {
      const token = /[?&]q=([\w-]+)/.exec(textAt(given, 'url')!)?.[1] ?? '';
      const [q] = unseal(standIn, 'overview', token, 120_000) ?? [];
      return q === undefined ? error(400, 'url has expired') : { blocks: { ai_overview: blocksOf(world.answer(q as string)!) } }; // guess: a 400
    },
  },
  '/google_images': {
    params: 'query*, domain, country, cr, language, lr, uule, tbs, safe, nfpr, filter, html, start#, page#, period_unit, period_value, start_date, end_date, chips, imgar, imgsz, image_color, image_type, licenses',
    answer: (given, { world: at }) => {
      // the maker's own program sends `start`; guess: a hundred on a page, and that `page` is taken, too
      const from = given['start'] === undefined ? numberAt(given, 'page', 0) * 100 : numberAt(given, 'start', 0);
      const rows = part(world.images(at, String(given['query'])), from, 100);
      return { blocks: { images_results: rows.map(({ title, thumbnail, source, original, link, width, height }, index) => ({
        title, image: thumbnail, source, original, link, original_width: width, original_height: height, rank: index + 1,
      })) } };
    },
  }, // prettier-ignore
  '/google_shorts': {
    params: 'query*, domain, country, language, start#',
    answer: (given, { world: at }) => {
      const rows = part(world.videos(at, String(given['query'])), numberAt(given, 'start', 0), 12);
      // guess: the name of the list and its fields
      return { blocks: { short_videos: rows.map(({ title, link, thumbnail, source }) => ({ title, link, thumbnail, source })) } };
    },
  },
  '/google_news/v2': {
    params: 'query, topic_token, publication_token, section_token, story_token, so=0|1, country, language',
    answer: (given, { world: at }) => {
      const named = ['query', 'topic_token', 'publication_token', 'story_token'].filter((name) => given[name] !== undefined);
      if (named.length !== 1) return error(400, 'one of query, topic_token, publication_token is required'); // guess: the words
      if (given['so'] !== undefined && given['story_token'] === undefined) return error(400, 'so needs story_token'); // guess: that it is refused
      const text = textAt(given, named[0]!)!;
      return {
        blocks: { menu_links: [{ title: 'World', topic_token: `topic ${text}` }], news_results: world.news(at, text).map(article) },
      };
    },
  },
  '/google_hotels': {
    params:
      'query*, check_in_date*, check_out_date*, next_page_token, adults#, children#, children_ages, html, language, country, currency, sort_by=3|8|13, min_price, max_price, property_types, amenities, rating=7|8|9, brands, hotel_class, free_cancellation, special_offers, eco_certified, vacation_rentals, bedrooms, bathrooms, property_token',
    answer: (given, standIn) => {
      const night = textAt(given, 'check_in_date')!;
      const row = (hotel: world.Hotel) => ({
        title: hotel.name, name: hotel.name, source: 'Booker', link: 'https://hotel.example/', property_token: hotel.token, price: `$${hotel.price}`,
        gps_coordinates: { latitude: hotel.latitude, longitude: hotel.longitude }, reviews: hotel.reviews, overall_rating: hotel.rating,
        hotel_class: hotel.stars, free_cancellation: true, amenities: ['Wi-Fi'], thumbnail: '', source_icon: '',
      }); // prettier-ignore
      const token = textAt(given, 'property_token');
      if (token !== undefined) return { blocks: { ads: [row(world.hotelOf(token, night))], brands: [] } }; // guess: the form of the details
      const all = world.hotels(standIn.world, textAt(given, 'query')!, night).map(row);
      const brands = [{ id: 1, name: 'Brand', children: [] }];
      return byToken(given, standIn, 'properties', all, 18, 'scrapingdog_pagination', { ads: all.slice(0, 3), brands }); // guess: properties
    },
  },
  '/google_immersive_product': {
    params: 'page_token*, stores=true|false, sori#, country, language',
    answer: (given) => {
      const { title, brand, stores } = world.product(textAt(given, 'page_token')!);
      // guess: five without `stores`, ten with it
      const from = numberAt(given, 'sori', 0);
      const shown = part(stores, from, given['stores'] === 'true' ? 10 : 5);
      const rows = shown.map(({ name, link, price }) => ({
        name,
        link,
        title,
        price: `$${price}`,
        delivery_fee: '$1',
        total_price: `$${price + 1}`,
      }));
      return { blocks: { title, brand, reviews: 12, rating: '4.5', price_range: '', stores: rows, more_options: [], thumbnails: [] } };
    },
  },
  '/google_jobs': {
    params: 'query*, country, language, domain, next_page_token, chips, lrad, ltype, uds, uule',
    answer: (given, standIn) =>
      byToken(given, standIn, 'jobs_results', world.jobs(standIn.world, textAt(given, 'query')!).map((job) => ({
        title: job.title, company_name: job.company, location: job.location, via: 'Jobs', share_link: job.link, detected_extensions: {},
        description: job.title, job_highlights: [], apply_options: [{ title: 'Apply', link: job.link }], job_id: job.id, extensions: [],
      })), 10, 'scrapingdog_pagination'),
  }, // prettier-ignore
  '/google_finance': {
    params: 'query*, language, html',
    answer: ({ query }) => {
      const found = world.quote(String(query));
      if (found === undefined) return { blocks: { markets: {}, discover_more: [] } };
      const { name, symbol, price, moved } = found;
      const price_movement = { percentage: moved, value: moved, movement: 'up' };
      return {
        blocks: {
          markets: {},
          summary: { title: name, stock: symbol, price: `$${price}`, extracted_price: price, price_movement, extensions: [] },
        },
      };
    },
  },
  '/google_maps': {
    params: 'query, ll, domain, language, country, data, place_id, type=search|place, page#, start#',
    answer: (given, standIn) => {
      const [ll, id] = [textAt(given, 'll'), textAt(given, 'place_id')];
      if (given['page'] !== undefined && ll === undefined) return error(400, 'll is required with page'); // guess: the words; page=0, too
      if (id === undefined && given['query'] === undefined) return error(400, 'query is required'); // guess: the words
      const view = ll === undefined ? undefined : viewOf(ll);
      if (ll !== undefined && view === undefined) return error(400, 'll is invalid'); // guess: the words
      const one = id === undefined ? undefined : world.placeOf(standIn.world, id);
      const all = id === undefined ? world.places(standIn.world, textAt(given, 'query')!, view) : one === undefined ? [] : [one];
      // one hit may stand in place of the list
      if (all.length === 1) return { blocks: { place_results: onMap(all[0]!, 0) } };
      const from = numberAt(given, 'page', numberAt(given, 'start', 0));
      const rows = part(all, from, 20);
      // past its depth, full pages of rows already seen
      const shown = rows.length === 0 && from > 0 ? part(all, 0, 20) : rows;
      return { blocks: { search_results: shown.map(onMap) } };
    },
  },
  '/google_maps/reviews': {
    params: 'data_id*, next_page_token, language, sort_by=qualityScore|newestFirst|ratingHigh|ratingLow, topic_id, results#, country',
    answer: (given, standIn) => {
      const one = world.placeOf(standIn.world, textAt(given, 'data_id')!);
      if (one === undefined) return { blocks: { reviews_results: [] } };
      const size = numberAt(given, 'results', 10);
      if (size < 1 || size > 20) return error(400, 'results is invalid'); // guess: the words
      const order = orders[(given['sort_by'] ?? 'qualityScore') as keyof typeof orders];
      const rows = world.reviews(standIn.world, one, order, textAt(given, 'topic_id')).map(({ id, rating, text, time, likes, link, user, reply }) => ({
        link, rating, likes, date: 'a month ago', ...(!standIn.odd.has('noDates') && { iso_date: time, iso_date_of_last_edit: time }), images: [],
        source: 'Google', review_id: id, snippet: text,
        user: { name: user.name, link: user.link, contributor_id: user.id, thumbnail: '', local_guide: false, reviews: user.reviews, photos: 1 },
        ...(reply !== undefined && { response: { iso_date: time, iso_date_of_last_edit: time, date: 'a day ago', response_from_owner_string: reply } }),
      })); // prettier-ignore
      const locationDetails = { address: one.address, rating: one.rating, reviews: one.reviews };
      const topics = world.topics.map((topic) => ({ ...topic, mentions: 7 }));
      return byToken(given, standIn, 'reviews_results', rows, size, 'pagination', { locationDetails, topics });
    },
  },
  '/google_maps/photos': {
    params: 'data_id*, next_page_token, category_id, language',
    answer: (given, standIn) => {
      const one = world.placeOf(standIn.world, textAt(given, 'data_id')!);
      const rows =
        one === undefined ? [] : world.photos(one, textAt(given, 'category_id')).map(({ image, thumbnail }) => ({ thumbnail, image }));
      const categories = world.photoCategories.map(({ id, name }) => ({ name, id }));
      return byToken(given, standIn, 'photos', rows, 20, 'scrapingdog_pagination', { categories });
    },
  },
  '/google_maps/posts': {
    params: 'data_id*, next_page_token, language',
    answer: (given, standIn) => {
      const one = world.placeOf(standIn.world, textAt(given, 'data_id')!);
      const rows =
        one === undefined
          ? []
          : world.posts(standIn.world, one).map(({ text, link, date, image }) => ({ description: text, date, image, link }));
      return byToken(given, standIn, 'post_data', rows, 10, undefined, { location_details: { name: one?.title, logo: '' } }); // guess: as ours
    },
  },
  '/google_scholar': {
    params: 'query, language, lr, cites, cluster, as_ylo#, as_yhi#, as_sdt, as_vis, as_rr, scisbd, safe, filter, html, page#, results#',
    answer: (given, standIn) => {
      const [cites, cluster, size] = [textAt(given, 'cites'), textAt(given, 'cluster'), numberAt(given, 'results', 10)];
      if ([given['query'], cites, cluster].every((value) => value === undefined)) return error(400, 'query is required'); // guess: the words
      const years = { from: numberAt(given, 'as_ylo', 0), to: numberAt(given, 'as_yhi', 9999) };
      const all = world.works(standIn.world, { text: textAt(given, 'query') ?? '', cites, cluster, ...years });
      // `page` is a number in the maker's program, and counts rows in the links of its answers
      const from = numberAt(given, 'page', 0) * (standIn.odd.has('scholarRows') ? 1 : size);
      const next = from + size < all.length ? { page: (from + size) / (standIn.odd.has('scholarRows') ? 1 : size) } : undefined;
      return { next, count: Math.ceil(all.length / size), step: size, blocks: { scholar_results: part(all, from, size).map((work) => ({
        title: work.title, title_link: work.link, id: work.id, displayed_link: work.summary, snippet: work.summary, resources: [],
        authors: work.authors.map(({ name, id }) => ({ name, link: `https://scholar.example/citations?user=${id}`, author_id: id })),
        inline_links: {
          ...(work.versions > 0 && {
            versions: { total: `All ${work.versions} versions`, link: `https://scholar.example/scholar?cluster=${work.clusterId}`, cluster_id: work.clusterId },
          }),
          ...(work.citedBy > 0 && { cited_by: { total: `Cited by ${work.citedBy}`, link: `https://scholar.example/scholar?cites=${work.citesId}` } }),
        },
      })) } };
    },
  }, // prettier-ignore
  '/google_scholar/profiles': {
    params: 'mauthors*, after_author, before_author, language',
    answer: (given, standIn) => {
      const all = world.profiles(textAt(given, 'mauthors')!);
      const [, from] = given['after_author'] === undefined ? [0, 0] : (unseal(standIn, 'profiles', textAt(given, 'after_author')!) ?? []);
      if (from === undefined) return error(400, 'after_author is invalid'); // guess: the words
      const to = (from as number) + 10;
      const profiles = part(all, from as number, 10).map(({ id, name, affiliations }) => ({
        title: name, link: '', author_id: id, affiliations, email: '', cited_by: 7, thumbnail: '', interests: [],
      })); // prettier-ignore
      const token = to < all.length ? seal(standIn, 'profiles', 0, to) : null;
      return { blocks: { profiles, pagination: { next_page_token: token, previous_page_token: null } } };
    },
  },
  '/google_scholar/author': {
    params: 'author_id*, results#, language, view_op=list_colleagues|view_citation, sort=title|pubdate, citation_id',
    answer: (given) => {
      const found = world.author(textAt(given, 'author_id')!);
      if (found === undefined) return { blocks: { articles: [] } };
      const articles = found.articles.map(({ id, title, link, publication, year, citedBy }) => ({
        title, link, citation_id: id, authors: found.name, publication, year, cited_by: { value: `${citedBy}`, link, citation_id: id },
      })); // prettier-ignore
      const author = { name: found.name, affiliations: found.affiliations, email: '', thumbnail: '', interests: [] };
      if (given['view_op'] === 'view_citation')
        return { blocks: { citation: articles.find(({ citation_id }) => citation_id === given['citation_id']) } };
      return { blocks: { author, articles: articles.slice(0, numberAt(given, 'results', 20)), co_authors: [], pagination: {} } };
    },
  },
  '/google_patents/details': {
    params: 'patent_id*, language, html',
    answer: (given) => {
      const [, number] = /^(?:patent\/)?([A-Z\d]+)(?:\/[a-z]{2})?$/.exec(textAt(given, 'patent_id')!) ?? [];
      const found = world.patent(number ?? '');
      if (found === undefined) return error(400, 'patent not found'); // guess
      const cited = found.cited.map((id) => ({ patent_id: id, publication_number: id }));
      return { blocks: {
        title: found.title, type: 'patent', pdf: '', publication_number: number, country: found.country, application_number: `${number}A`,
        prior_art_keywords: [], prior_art_date: found.filed, priority_date: found.filed, filing_date: found.filed, publication_date: found.filed,
        inventors: [{ name: found.inventor, link: '' }], assignees: [], worldwide_applications: {}, events: [], external_links: [], images: [],
        classifications: [], abstract: 'It does.', patent_citations: cited,
      } };
    },
  }, // prettier-ignore
};

const vendor: Vendor = {
  key: '5eaa61a6e562fc52fe763tr516e4653',
  keyOf: ({ query }) => query['api_key']?.toString(),
  says: {
    wrongKey: error(401, 'Invalid API key'), // guess: 401, and the words
    noCredits: error(403, 'You have reached the request limit of your plan'), // guess: 403, and the words
    tooFast: error(429, 'Concurrent request limit reached'),
    tooMany: error(429, 'Concurrent request limit reached'),
    outage: error(410, 'Request timed out'), // guess
  },
  answer: ({ method, path, query }, standIn) => {
    const used = standIn.charged;
    if (path === '/account')
      return { body: { requestLimit: Math.min(standIn.credits, 1e9) + used, requestUsed: used, pack: 'lite', validity: 30 } };
    const found = paths[path];
    if (method !== 'GET' || found === undefined) return { status: 404, body: { error: 'Not found' } }; // guess
    const { api_key: key, ...given } = query;
    const fault = checkParams(found.params, given, standIn, path);
    if (fault !== undefined) return error(400, `${fault.name} is ${fault.is === 'missing' ? 'required' : 'invalid'}`); // guess: the words
    const answer = found.answer(given, standIn);
    if ('body' in answer) return answer;
    const { next, blocks, count, step = 1 } = answer;
    // the addresses of other pages hold the key
    const address = (more: object): string =>
      `${standIn.url}${path}?${new URLSearchParams({ api_key: key, ...given, ...more } as never).toString()}`;
    const token = next?.['next_page_token'] !== undefined && next;
    const others = Array.from({ length: count ?? 0 }, (_, page) => [String(page + 1), address({ page: page * step })] as const);
    const current = numberAt(given, 'page', 0) + 1;
    const page_no = Object.fromEntries(others.filter(([page]) => page !== String(current)));
    const led = { ...token, ...(count !== undefined && { current, page_no }), ...(next !== undefined && { next: address(next) }) };
    const at = answer.at ?? (token === false ? 'scrapingdog_pagination' : undefined);
    const leads = next !== undefined || (count ?? 0) > 1;
    const pages = !leads ? {} : at === undefined ? next : { [at]: led };
    return { body: { ...blocks, ...pages }, cost: found.cost?.(given) ?? 5 };
  },
};

/** ScrapingDog. Odd: scholarRows (`page` counts rows there), noDates (reviews have relative dates only). */
export const startScrapingDog = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor, options);
