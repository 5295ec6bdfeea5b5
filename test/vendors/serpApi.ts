import { checkParams, numberAt, pageByToken, part, seal, startStandIn, textAt, unseal, viewOf } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const error = (status: number, text: string, more: object = {}): VendorReply => ({ status, body: { ...more, error: text } });
const general =
  'engine*, api_key, output=json, no_cache=true|false, async=true|false, zero_trace, json_restrictor, device=desktop|tablet|mobile';
const place = 'location, uule, google_domain, gl, hl';
const advanced = 'as_dt, as_epq, as_eq, as_lq, as_nlo, as_nhi, as_oq, as_q, as_qdr, as_rq, as_sitesearch';
const filters = 'safe=active|off, nfpr=0|1, filter=0|1';

/** The rows of an answer, and what stands beside them. */
interface Found {
  /** Where the list stands: `reviews`, `product_results.stores`. */
  readonly list: string;
  readonly rows: readonly object[];
  readonly beside?: object;
  /** Of the next page: a start, or a token. */
  readonly next?: { readonly [param: string]: string | number } | undefined;
}

interface Engine {
  readonly params: string;
  /** The beginning of the text that says that there is nothing. */
  readonly named: string;
  readonly state?: string;
  readonly answer: (given: Given, standIn: StandIn) => Found | VendorReply | { readonly object: object };
}

/** Rows by `start`, which a page of undefined ones still counts. */
function byStart(
  given: Given,
  list: string,
  rows: readonly (object | undefined)[],
  step: number,
  beside: object = {},
  param = 'start',
): Found {
  const from = numberAt(given, param, 0) * (param === 'ijn' ? step : 1);
  const shown = part(rows, from, step).filter((row) => row !== undefined);
  const next = from + step < rows.length ? { [param]: param === 'ijn' ? from / step + 1 : from + step } : undefined;
  return { list, rows: shown, beside, next };
}

/** Rows by `next_page_token`. */
function byToken(
  given: Given,
  standIn: StandIn,
  list: string,
  rows: readonly object[],
  size: (from: number) => number,
  odd = '',
): VendorReply | (Found & { readonly from: number }) {
  const { next_page_token: token, num: _, no_cache: __, api_key: ___, more_stores: ____, ...owner } = given;
  const page = pageByToken(standIn, list, owner, token === undefined ? undefined : textAt(given, 'next_page_token'), rows, size);
  if (page === 'stale') return error(400, 'Invalid `next_page_token`.'); // guess: the words
  // a token whose page is empty: after the last, or where there is nothing
  const none = odd === 'emptyHotels' && token === undefined;
  const dead = standIn.odd.has(odd) && page.next === undefined && page.rows.length > 0 !== none;
  const next = dead ? seal(standIn, list, world.hash(list, JSON.stringify(owner)), rows.length) : page.next;
  return { list, rows: page.rows, from: page.from, next: next === undefined ? undefined : { next_page_token: next } };
}

const web: Engine = {
  params: `q*, ${place}, ludocid, lsig, kgmid, si, ibp, uds, cr, lr, tbs, tbm, start#, ${advanced}, ${filters}`,
  named: 'Google',
  state: 'organic_results_state',
  answer: (given, standIn) => {
    const q = String(given['q']);
    const answer = world.answer(q);
    const overview = answer === undefined ? {} : { ai_overview: world.isInline(q) ? blocksOf(answer) : { page_token: seal(standIn, 'overview', q), serpapi_link: `${standIn.url}/search.json?engine=google_ai_overview` } }; // prettier-ignore
    const rows = world.webSlots(standIn.world, q).map((page, index) => page && { position: (index % 10) + 1, title: page.title, link: page.link, displayed_link: page.host, snippet: page.snippet, date: page.date }); // prettier-ignore
    const local = world.places(standIn.world, q).slice(0, 3).map((one) => ({ position: 1, title: one.title, place_id: one.cid, rating: one.rating })); // prettier-ignore
    return byStart(
      given,
      'organic_results',
      rows,
      10,
      numberAt(given, 'start', 0) > 0 ? {} : { ...overview, local_results: { places: local } },
    );
  },
};

const blocksOf = ({ text, items, sources }: world.Answer) => ({
  text_blocks: [
    { type: 'paragraph', snippet: text, reference_indexes: [0] },
    { type: 'list', list: items.map((item) => ({ snippet: item })) },
  ],
  references: sources.map(({ title, link, snippet, host }, index) => ({ index, title, link, snippet, source: host })),
});

const article = ({ title, link, source, thumbnail, date }: world.Article, index: number) => ({
  position: index + 1,
  title,
  link,
  source: { name: source, icon: thumbnail },
  thumbnail,
  date: '07/13/2026, 08:00 AM, +0000 UTC',
  iso_date: date,
});

const onMap = (one: world.Place, index: number) => ({
  position: index + 1,
  title: one.title,
  place_id: one.placeId,
  data_id: one.dataId,
  data_cid: one.cid,
  gps_coordinates: { latitude: one.latitude, longitude: one.longitude },
  ...(one.reviews > 0 && { rating: one.rating, reviews: one.reviews }),
  type: one.type,
  types: [one.type],
  address: one.address,
  phone: one.phone,
  website: one.website,
  operating_hours: { monday: '9 AM–5 PM' },
});

const orders = { qualityScore: 'relevant', newestFirst: 'newest', ratingHigh: 'highest', ratingLow: 'lowest' } as const;
const notOne = (given: Given, names: readonly string[]): boolean => names.filter((name) => given[name] !== undefined).length > 1;

const engines: { readonly [name: string]: Engine } = {
  google: web,
  google_light: { ...web, params: `q*, ${place}, lr, start#, ${advanced}, ${filters}` },
  google_autocomplete: {
    params: 'q*, gl, hl, cp#, client=chrome|chrome-omni|gws-wiz|safari|firefox|psy-ab|toolbar|youtube|gws-wiz-local',
    named: 'Google Autocomplete', // guess
    state: 'autocomplete_results_state',
    answer: ({ q }) => ({ list: 'suggestions', rows: world.suggestions(String(q)).map((one) => ({ ...one, type: 'QUERY' })), beside: { verbatim_relevance: 851 } }), // prettier-ignore
  },
  google_ai_mode: {
    params: 'q*, location, uule, gl, hl, subsequent_request_token, continuable, image_url',
    named: 'Google AI Mode', // guess
    answer: ({ q }) => {
      const answer = world.answer(String(q));
      return answer === undefined
        ? { list: 'text_blocks', rows: [] }
        : { object: { ...blocksOf(answer), reconstructed_markdown: answer.text } };
    },
  },
  google_ai_overview: {
    params: 'page_token*',
    named: 'Google AI Overview', // guess
    answer: (given, standIn) => {
      const [q] = unseal(standIn, 'overview', textAt(given, 'page_token')!, 60_000) ?? [];
      // guess: a 400, and the words
      return q === undefined
        ? error(400, '`page_token` is expired or invalid.')
        : { object: { ai_overview: blocksOf(world.answer(q as string)!) } };
    },
  },
  google_images: {
    params: `q*, ${place}, cr, ${advanced}, period_unit=s|n|h|d|w|m|y, period_value#, start_date, end_date, chips, tbs, imgar=s|t|w|xw, imgsz, image_color, image_type=face|photo|clipart|lineart|animated, licenses=f|fc|fm|fmc|cl|ol, ${filters}, ijn#`,
    named: 'Google Images', // guess
    state: 'image_results_state',
    answer: (given, { world: at }) =>
      given['period_unit'] !== undefined && given['start_date'] !== undefined
        ? error(400, '`period_unit` and `start_date` cannot be used together.') // guess: the words
        : byStart(given, 'images_results', world.images(at, String(given['q'])).map(({ title, link, original, thumbnail, source, width, height }, index) => ({
            position: (index % 100) + 1, thumbnail, source, title, link, original, original_width: width, original_height: height, is_product: false,
          })), 100, {}, 'ijn'),
  }, // prettier-ignore
  google_videos: {
    params: `q*, ${place}, lr, ${advanced}, tbs, ${filters}, start#`,
    named: 'Google Videos', // guess
    state: 'video_results_state',
    answer: (given, { world: at }) =>
      byStart(given, 'video_results', world.videos(at, String(given['q'])).map(({ title, link, host, thumbnail, snippet, date, duration }, index) => ({ position: (index % 10) + 1, title, link, displayed_link: host, thumbnail, snippet, date, duration })), 10), // prettier-ignore
  },
  google_news: {
    params: 'q, gl, hl, topic_token, kgmid, publication_token, section_token, story_token, so=0|1',
    named: 'Google News',
    answer: (given, standIn) => {
      const tokens = ['topic_token', 'publication_token', 'section_token', 'story_token', 'kgmid'].filter(
        (name) => given[name] !== undefined,
      );
      if (given['q'] === undefined && tokens.length === 0) return error(400, 'Missing query `q` parameter.');
      if (given['q'] !== undefined && (tokens.length > 0 || given['so'] !== undefined))
        return error(400, '`q` cannot be used together with advanced parameters.'); // guess: the words
      const q = tokens.length > 0 ? textAt(given, tokens[0]!)! : String(given['q']);
      const rows: object[] = world.news(standIn.world, q).map(article);
      if (standIn.odd.has('stories')) rows.push({ position: rows.length + 1, title: 'A story', stories: world.news({ day: 0 }, `${q} story 2`).map(article) }); // prettier-ignore
      return { list: 'news_results', rows, beside: { menu_links: [{ title: 'World', topic_token: `topic ${q}`, serpapi_link: '' }] } };
    },
  },
  google_news_light: {
    params: `q*, ${place}, lr, ${advanced}, ${filters}, start#`,
    named: 'Google News',
    answer: (given, { world: at }) =>
      byStart(given, 'news_results', world.news(at, String(given['q'])).map(({ title, link, source, snippet, thumbnail, date }, index) => ({ position: (index % 10) + 1, title, link, source, date, snippet, thumbnail })), 10), // prettier-ignore
  },
  google_jobs: {
    params: `q*, ${place}, next_page_token, chips, lrad#, ltype#, uds`,
    named: 'Google Jobs', // guess
    state: 'jobs_results_state',
    answer: (given, standIn) =>
      byToken(given, standIn, 'jobs_results', world.jobs(standIn.world, String(given['q'])).map((job) => ({
        title: job.title, company_name: job.company, location: job.location, via: 'via Jobs', share_link: job.link, extensions: ['2 days ago'],
        detected_extensions: { posted_at: '2 days ago' }, description: job.title, apply_options: [{ title: 'Apply', link: job.link }], job_id: job.id,
      })), () => 10),
  }, // prettier-ignore
  google_finance: {
    params: 'q*, hl, window=1D|5D|1M|6M|YTD|1Y|5Y|MAX',
    named: 'Google Finance', // guess
    answer: ({ q }) => {
      const found = world.quote(String(q));
      const markets = {
        us: [{ stock: '.DJI:INDEXDJX', name: 'Dow', price: 1 }],
        europe: [],
        asia: [],
        currencies: [],
        crypto: [],
        futures: [],
      };
      if (found === undefined) return { object: { markets, discover_more: [] } };
      const { name, symbol, exchange, price, moved } = found;
      return { object: { summary: { title: name, stock: symbol, exchange, price: `$${price}`, extracted_price: price, currency: 'USD', price_movement: { percentage: moved, value: moved, movement: 'Up' } }, graph: [{ price, currency: 'USD', date: 'Nov 28 2026', volume: 1 }], markets } }; // prettier-ignore
    },
  },
  google_hotels: {
    params:
      'q*, gl, hl, currency, check_in_date*, check_out_date*, adults#, children#, children_ages, sort_by=3|8|13, min_price#, max_price#, property_types, amenities, rating=7|8|9, brands, hotel_class, free_cancellation, special_offers, eco_certified, vacation_rentals=true|false, bedrooms#, bathrooms#, next_page_token, property_token',
    named: 'Google Hotels',
    state: 'hotels_results_state',
    answer: (given, standIn) => {
      const ages = textAt(given, 'children_ages')?.split(',') ?? [];
      if (ages.length !== numberAt(given, 'children', 0)) return error(400, '`children_ages` must have as many ages as `children`.'); // guess: the words
      if (given['vacation_rentals'] !== 'true' && notOne({ a: 1, b: given['bedrooms'] ?? given['bathrooms'] }, ['a', 'b']))
        return error(400, '`bedrooms` needs `vacation_rentals`.'); // guess: the words
      const night = String(given['check_in_date']);
      const row = (hotel: world.Hotel) => {
        const rate = { lowest: `$${hotel.price}`, extracted_lowest: hotel.price };
        return { type: 'hotel', name: hotel.name, link: 'https://hotel.example/', property_token: hotel.token, gps_coordinates: { latitude: hotel.latitude, longitude: hotel.longitude }, rate_per_night: rate, total_rate: rate, hotel_class: `${hotel.stars}-star hotel`, extracted_hotel_class: hotel.stars, overall_rating: hotel.rating, reviews: hotel.reviews, amenities: ['Wi-Fi'] }; // prettier-ignore
      };
      const token = textAt(given, 'property_token');
      if (token !== undefined) return { object: { ...row(world.hotelOf(token, night)), prices: [{ source: 'Booker', rate_per_night: { lowest: `$${world.hotelOf(token, night).price}` } }] } }; // prettier-ignore
      const all = world.hotels(standIn.world, String(given['q']), night);
      const found = byToken(given, standIn, 'properties', all.map(row), () => 18, 'emptyHotels');
      if (!('list' in found)) return found;
      return { ...found, beside: { brands: [{ id: 1, name: 'Brand' }], ads: all.slice(0, 3).map((hotel) => ({ name: hotel.name, source: 'Booker', property_token: hotel.token, price: `$${hotel.price}`, extracted_price: hotel.price })) } }; // prettier-ignore
    },
  },
  google_immersive_product: {
    params: 'page_token*, more_stores, next_page_token',
    named: 'Google Immersive Product', // guess
    answer: (given, standIn) => {
      const { title, brand, stores } = world.product(textAt(given, 'page_token')!);
      const rows = stores.map(({ name, link, price }) => ({ name, link, title, price: `$${price}.00`, extracted_price: price, total: `$${price}.00`, extracted_total: price })); // prettier-ignore
      // guess: the later pages are as long as the first
      const found = byToken(given, standIn, 'product_results.stores', rows, () => (given['more_stores'] === undefined ? 5 : 13));
      if (!('list' in found)) return found;
      const next = found.next?.['next_page_token'];
      return { object: { product_results: { title, brand, reviews: 12, rating: 4.5, stores: found.rows, ...(next !== undefined && { stores_next_page_token: next }) } } }; // prettier-ignore
    },
  },
  google_maps: {
    params: 'q, ll, location, lat, lon, z, m, nearby, google_domain, hl, gl, data, place_id, data_cid, type=search|place, start#',
    named: 'Google Maps',
    state: 'local_results_state',
    answer: (given, standIn) => {
      const id = textAt(given, 'place_id') ?? textAt(given, 'data_cid');
      if (id === undefined && given['type'] === undefined) return error(400, 'Missing `type` parameter.'); // guess: the words
      if (id === undefined && given['q'] === undefined) return error(400, 'Missing query `q` parameter.');
      if (notOne(given, ['ll', 'location', 'lat'])) return error(400, '`ll` cannot be used together with `location`.'); // guess: the words
      const ll = textAt(given, 'll');
      const view = ll === undefined ? undefined : viewOf(ll);
      if (ll !== undefined && view === undefined) return error(400, 'Unsupported `ll` parameter.'); // guess: the words
      const found = id === undefined ? world.places(standIn.world, String(given['q']), view) : [world.placeOf(standIn.world, id)].filter((one) => one !== undefined);
      // Google jumps to the only one
      if (found.length === 1) return { object: { search_information: { local_results_state: 'Showing results for type: "place" instead of type: "search"' }, place_results: onMap(found[0]!, 0) } };
      const page = byStart(given, 'local_results', found.map((one, index) => onMap(one, index % 20)), 20);
      if (page.rows.length === 0 && found.length > 0 && standIn.odd.has('mapsRestart')) return byStart({}, 'local_results', found.map(onMap), 20);
      const after = numberAt(given, 'start', 0) + 20;
      return page.rows.length > 0 && page.next === undefined && standIn.odd.has('nextOnLast') ? { ...page, next: { start: after } } : page;
    },
  }, // prettier-ignore
  google_maps_reviews: {
    params: 'data_id, hl, place_id, sort_by=qualityScore|newestFirst|ratingHigh|ratingLow, topic_id, query, num#, next_page_token',
    named: 'Google Maps Reviews', // guess
    state: 'reviews_results_state',
    answer: (given, standIn) => {
      const id = textAt(given, 'data_id') ?? textAt(given, 'place_id');
      if (id === undefined) return error(400, 'Missing `data_id` or `place_id` parameter.'); // guess: the words
      if (notOne(given, ['data_id', 'place_id']) || notOne(given, ['topic_id', 'query'])) return error(400, '`data_id` and `place_id` cannot be used together.'); // guess: the words
      const first = given['next_page_token'] === undefined && given['topic_id'] === undefined && given['query'] === undefined;
      const num = numberAt(given, 'num', 10);
      if (given['num'] !== undefined && (first || num < 1 || num > 20)) return error(400, '`num` cannot be used on the first page.'); // guess: the words
      const one = world.placeOf(standIn.world, id);
      const order = orders[(given['sort_by'] ?? 'qualityScore') as keyof typeof orders];
      const all = one === undefined ? [] : world.reviews(standIn.world, one, order, textAt(given, 'topic_id'));
      const rows = all.map(({ link, rating, text, time, likes, id, user, reply }) => ({
        link, rating, date: 'a month ago', iso_date: time, iso_date_of_last_edit: time, source: 'Google', review_id: id, snippet: text, likes,
        user: { name: user.name, link: user.link, contributor_id: user.id, local_guide: false, reviews: user.reviews, photos: 1 },
        ...(reply !== undefined && { response: { date: 'a day ago', iso_date: time, snippet: reply } }),
      }));
      const found = byToken(given, standIn, 'reviews', rows, () => (first ? 8 : num), 'deadToken');
      return !('list' in found) || given['next_page_token'] !== undefined || one === undefined ? found : { ...found, beside: { place_info: { title: one.title, address: one.address, rating: one.rating, reviews: one.reviews, type: one.type }, topics: world.topics.map((topic) => ({ ...topic, mentions: 7 })) } };
    },
  }, // prettier-ignore
  google_maps_photos: {
    params: 'data_id*, hl, category_id, next_page_token',
    named: 'Google Maps Photos', // guess
    state: 'photos_state',
    answer: (given, standIn) => {
      const one = world.placeOf(standIn.world, textAt(given, 'data_id')!);
      const rows =
        one === undefined ? [] : world.photos(one, textAt(given, 'category_id')).map(({ image, thumbnail }) => ({ thumbnail, image }));
      const found = byToken(given, standIn, 'photos', rows, () => 20, 'deadToken');
      const categories = world.photoCategories.map(({ id, name }) => ({ title: name, id }));
      return !('list' in found) || given['next_page_token'] !== undefined ? found : { ...found, beside: { categories } };
    },
  },
  google_maps_posts: {
    params: 'data_id*, next_page_token',
    named: 'Google Maps Posts', // guess
    answer: (given, standIn) => {
      const one = world.placeOf(standIn.world, textAt(given, 'data_id')!);
      const rows = one === undefined ? [] : world.posts(standIn.world, one);
      return byToken(given, standIn, 'posts', rows.map(({ text, link, image, date }, index) => ({ position: (index % 10) + 1, description: text, link, thumbnails: [image], posted_at_text: date })), () => 10); // prettier-ignore
    },
  },
  google_scholar: {
    params: 'q, cites, as_ylo#, as_yhi#, scisbd=0|1|2, cluster, hl, lr, start#, num#, as_sdt, safe=active|off, filter=0|1, as_vis=0|1, as_rr=0|1',
    named: 'Google Scholar',
    answer: (given, standIn) => {
      const [cites, cluster, num] = [textAt(given, 'cites'), textAt(given, 'cluster'), numberAt(given, 'num', 10)];
      if (given['q'] === undefined && cites === undefined && cluster === undefined) return error(400, 'Missing query `q` parameter.');
      if (cluster !== undefined && (given['q'] !== undefined || cites !== undefined)) return error(400, '`cluster` cannot be used together with `q` and `cites`.'); // guess: the words
      if (num < 1 || num > 20 || numberAt(given, 'start', 0) >= 1000) return error(400, 'Unsupported `num` or `start` parameter.'); // guess: the words
      const found = world.works(standIn.world, { text: textAt(given, 'q') ?? '', cites, cluster, from: numberAt(given, 'as_ylo', 0), to: numberAt(given, 'as_yhi', 9999) });
      return byStart(given, 'organic_results', found.map((work, index) => ({
        position: index % num, title: work.title, result_id: work.id, link: work.link, snippet: work.summary,
        publication_info: { summary: work.summary, authors: work.authors.map(({ name, id }) => ({ name, author_id: id, link: `https://scholar.example/citations?user=${id}` })) },
        inline_links: {
          ...(work.citedBy > 0 && { cited_by: { total: work.citedBy, link: `https://scholar.example/scholar?cites=${work.citesId}`, cites_id: work.citesId } }),
          ...(work.versions > 0 && { versions: { total: work.versions, link: `https://scholar.example/scholar?cluster=${work.clusterId}`, cluster_id: work.clusterId } }),
        },
      })), num);
    },
  }, // prettier-ignore
  google_scholar_author: {
    params: 'author_id*, hl, view_op=view_citation|list_colleagues, sort=title|pubdate, citation_id, start#, num#',
    named: 'Google Scholar Author', // guess
    answer: (given) => {
      const found = world.author(textAt(given, 'author_id')!);
      const num = numberAt(given, 'num', 20);
      if (num > 100) return error(400, 'Unsupported `num` parameter.'); // guess: the words
      if (found === undefined) return { list: 'articles', rows: [] };
      const person = { author: { name: found.name, affiliations: found.affiliations, email: 'Verified', interests: [] } };
      const articles = found.articles.map(({ id, title, link, publication, year, citedBy }) => ({ title, link, citation_id: id, authors: found.name, publication, year, cited_by: { value: citedBy, link, cites_id: id } })); // prettier-ignore
      if (given['view_op'] === 'view_citation') {
        const one = articles.find(({ citation_id }) => citation_id === given['citation_id']);
        return given['citation_id'] === undefined ? error(400, 'Missing `citation_id` parameter.') : { object: { citation: { ...one } } };
      }
      return given['view_op'] === 'list_colleagues' ? { object: { co_authors: [] } } : byStart(given, 'articles', articles, num, person);
    },
  },
  google_patents_details: {
    params: 'patent_id*',
    named: 'Google Patents', // guess
    answer: (given) => {
      // guess: a bare number is refused
      const [, number] = /^patent\/([A-Z\d]+)(?:\/[a-z]{2})?$/.exec(textAt(given, 'patent_id')!) ?? [];
      const found = number === undefined ? undefined : world.patent(number);
      if (number === undefined) return error(400, 'Unsupported `patent_id` parameter.'); // guess: the words
      if (found === undefined) return { list: 'none', rows: [] };
      return { object: { title: found.title, type: 'patent', pdf: `https://patents.example/${number}.pdf`, publication_number: number, country: found.country, prior_art_keywords: ['thing'], prior_art_date: found.filed, application_number: `${number}A`, inventors: [{ name: found.inventor, link: '' }], assignees: ['Acme'], priority_date: found.filed, filing_date: found.filed, publication_date: found.filed, worldwide_applications: {}, events: [], external_links: [], images: [], classifications: [], abstract: 'It does.', patent_citations: { original: found.cited.map((id) => ({ patent_id: `patent/${id}/en`, publication_number: id })) } } }; // prettier-ignore
    },
  },
};

const vendor = (): Vendor => {
  /** What was answered in the last hour, by the request. It is free. */
  const cache = new Map<string, { readonly at: number; readonly body: object }>();
  const stored = new Map<string, object>();
  let searches = 0;
  const search = (query: Given, standIn: StandIn): VendorReply => {
    const name = textAt(query, 'engine') ?? '';
    const engine = engines[name];
    if (engine === undefined) return error(400, `Unsupported \`${name}\` search engine.`);
    const fault = checkParams(`${general}, ${engine.params}`, query, standIn, name);
    if (fault !== undefined) return error(400, fault.is === 'missing' ? `Missing ${fault.name === 'q' ? 'query ' : ''}\`${fault.name}\` parameter.` : `Unsupported \`${fault.name}\` parameter.`); // prettier-ignore
    if (notOne(query, ['location', 'uule'])) return error(400, '`location` and `uule` cannot be used together.'); // guess: the words
    const { api_key: _, no_cache: noCache, ...asked } = query;
    const same = JSON.stringify(Object.entries(asked).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const kept = cache.get(same);
    if (kept !== undefined && noCache !== 'true' && standIn.now() - kept.at < 3_600_000) return { body: kept.body };
    const found = engine.answer(query, standIn);
    if ('body' in found) return found;
    const id = world.hash('search', searches++).toString(16).padStart(24, '6');
    const metadata = { id, status: 'Success', json_endpoint: `${standIn.url}/searches/${id}.json`, created_at: '2026-11-28 10:00:00 UTC', total_time_taken: 1.2 }; // prettier-ignore
    const head = { search_metadata: metadata, search_parameters: asked };
    const body = 'object' in found ? { ...head, ...found.object } : { ...head, ...listed(found, engine, asked, standIn) };
    if (standIn.credits >= 1) cache.set(same, { at: standIn.now(), body }); // else it is refused
    stored.set(id, body);
    return asked['async'] === 'true'
      ? { body: { ...head, search_metadata: { ...metadata, status: 'Queued' } }, cost: 1 }
      : { body, cost: 1 };
  };
  return {
    key: 'a0b1c2d3e4f5061728394a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    limit: { requests: 3000, perMs: 3_600_000 },
    keyOf: ({ query }) => query['api_key']?.toString(),
    says: {
      wrongKey: error(401, 'Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key'),
      noCredits: error(429, 'Your account has run out of searches.'),
      tooFast: error(429, "You are sending requests too fast, you've exceeded the hourly throughput limit."), // guess: the words
      tooMany: error(429, 'Hourly throughput limit exceeded.'), // guess: that there is such a limit
      outage: error(503, "We couldn't get valid results for this search. Please try again later.", {
        search_metadata: { status: 'Error' },
      }),
    },
    answer: ({ method, path, query }, standIn) => {
      if (method !== 'GET') return error(404, 'Not found.'); // guess: no other method is documented
      if (path === '/account.json' || path === '/account') return { body: { account_id: '1', api_key: standIn.key, account_email: 'a@b.example', plan_name: 'Production', searches_per_month: 15_000, plan_searches_left: Math.min(standIn.credits, 15_000), extra_credits: 0, total_searches_left: Math.min(standIn.credits, 15_000), this_month_usage: standIn.charged, account_rate_limit_per_hour: 3000 } }; // prettier-ignore
      const [, id] = /^\/searches\/([\da-f]+)\.json$/.exec(path) ?? [];
      if (id !== undefined) return stored.has(id) ? { body: stored.get(id) } : error(404, 'Search not found.'); // guess: the words
      return path === '/search' || path === '/search.json' ? search(query, standIn) : error(404, 'Not found.'); // guess
    },
  };
};

/** An answer with a list: without rows it says so, in one of two ways. */
function listed({ list, rows, beside = {}, next }: Found, { named, state }: Engine, asked: Given, standIn: StandIn): object {
  const none = rows.length === 0;
  const information = state === undefined ? {} : { search_information: { [state]: none ? 'Fully empty' : 'Results for exact spelling' } };
  const address = (more: object): string => `${standIn.url}/search.json?${new URLSearchParams({ ...asked, ...more } as never).toString()}`;
  const current = numberAt(asked, 'start', 0) / 10 + 1;
  const emptyNext =
    next === undefined && !none && list === 'organic_results' && standIn.odd.has('emptyNext')
      ? { serpapi_pagination: { current, next: '' } }
      : {};
  const pages =
    next === undefined ? emptyNext : { serpapi_pagination: { current, next_link: address(next), next: address(next), ...next } };
  if (!none) return { ...information, ...beside, [list]: rows, ...pages };
  return standIn.odd.has('noList') ? pages : { ...information, error: `${named} hasn't returned any results for this query.`, ...pages };
}

/**
 * SerpApi. Odd: emptyNext (the last page of the web has an empty `next`), nextOnLast (the last of the map has one), mapsRestart (after the last
 * page comes the first), deadToken (the last page of reviews and photos has a token), emptyHotels (no hotels, but a token), noList (nothing found
 * is said by nothing), stories (news in groups, too).
 */
export const startSerpApi = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor(), options);
