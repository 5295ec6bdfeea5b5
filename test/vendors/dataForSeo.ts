import { atOnce, checkParams, numberAt, startStandIn, textAt } from './standIn.ts';
import type { Given, StandIn, StandInOptions, Vendor, VendorReply } from './standIn.ts';
import * as world from './world.ts';

const located = 'location_code#, location_name, location_coordinate, language_code, language_name';
const common = `keyword*, ${located}, device=desktop|mobile, os=windows|macos|android|ios, se_domain, tag, depth#, max_crawl_pages#`;
const waiting = 'priority#=1|2, postback_url, pingback_url, postback_data';

/** What a task found: what stands beside the items, and what it costs in pages. undefined if there is nothing. */
interface Result {
  readonly beside?: object;
  readonly items: readonly object[];
}

interface Api {
  readonly params: string;
  /** Rows on a page that is paid, what is asked for unless said, and the most. */
  readonly page: number;
  readonly usual: number;
  readonly most: number;
  readonly price: number;
  readonly answer: (task: Given, at: world.World, depth: number) => Result | undefined;
}

const ranked = (type: string, rows: readonly object[], from = 1): object[] =>
  rows.map((row, index) => ({ type, rank_group: index + from, rank_absolute: index + from, position: 'left', xpath: '/html', ...row }));

const rated = (value: number, votes: number) => ({ rating_type: 'Max5', value, votes_count: votes, rating_max: 5 });
const when = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} +00:00`;

const pageOf = ({ title, link, host, snippet, date }: world.WebPage) => ({
  domain: host, title, url: link, breadcrumb: link, description: snippet, timestamp: when(date), rating: null, price: null, links: null,
}); // prettier-ignore

/** The overview: an item among others, or the answer itself. */
const overviewOf = ({ text, items, sources }: world.Answer) => ({
  markdown: text,
  asynchronous_ai_overview: false,
  items: [
    { type: 'ai_overview_element', title: null, text, markdown: text },
    ...items.map((item) => ({ type: 'ai_overview_element', text: item })),
  ],
  references: sources.map(({ title, link, host, snippet }, index) => ({
    type: 'ai_overview_reference', position: index + 1, source: host, domain: host, url: link, title, text: snippet,
  })), // prettier-ignore
});

/** The place of a task: by cid, place_id, or a keyword that holds one. */
function placeIn(task: Given, at: world.World): world.Place | undefined {
  const id = textAt(task, 'cid') ?? textAt(task, 'place_id') ?? textAt(task, 'keyword')?.replace(/^(?:cid|place_id):/, '');
  return id === undefined ? undefined : world.placeOf(at, id);
}

const orders = { relevant: 'relevant', newest: 'newest', highest_rating: 'highest', lowest_rating: 'lowest' } as const;

const organic: Api = {
  params: `${common}, search_param, load_async_ai_overview=true|false, people_also_ask_click_depth#, group_organic_results, calculate_rectangles, stop_crawl_on_match, remove_from_url, target`, // prettier-ignore
  page: 10,
  usual: 10,
  most: 200,
  price: 0.002,
  answer: (task, at, depth) => {
    const q = textAt(task, 'keyword')!;
    const slots = world.webSlots(at, q).slice(0, depth);
    if (slots.length === 0) return undefined;
    let group = 0;
    // items of other types among the organic ones
    const items: object[] = slots.map((page, index) =>
      page === undefined
        ? {
            type: 'people_also_ask',
            rank_group: 1,
            rank_absolute: index + 1,
            items: [{ title: `Why ${q}?`, xpath: '', expanded_element: [] }],
          }
        : { ...ranked('organic', [pageOf(page)], ++group)[0], rank_absolute: index + 1 },
    );
    const answer = world.answer(q);
    // at times only if it is asked for, and at times not even then
    const asked = world.isInline(q) || textAt(task, 'load_async_ai_overview') === 'true';
    if (answer !== undefined && asked) items.push({ type: 'ai_overview', rank_group: 1, rank_absolute: 1, ...overviewOf(answer) });
    items.push({ type: 'related_searches', rank_group: 1, rank_absolute: 99, items: world.suggestions(q).map(({ value }) => value) });
    return { beside: { pages_count: Math.ceil(depth / 10) }, items };
  },
};

/** The apis by the path between `/v3/` and its last parts. */
const apis: { readonly [path: string]: Api } = {
  'serp/google/organic/live/advanced': organic,
  'serp/google/organic/live/regular': {
    ...organic,
    answer: (task, at, depth) => {
      const items = organic.answer(task, at, depth)?.items.filter((item) => 'type' in item && item.type === 'organic');
      const plain = (item: object) => {
        const names = ['type', 'rank_group', 'rank_absolute', 'domain', 'title', 'description', 'url', 'breadcrumb'];
        return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
      };
      return items && { items: items.map(plain) };
    },
  },
  'serp/google/autocomplete/live/advanced': {
    params: 'keyword*, location_code#, location_name, language_code, language_name, cursor_pointer#, client, tag',
    page: 10, usual: 10, most: 10, price: 0.002,
    answer: (task) => {
      const rows = world.suggestions(textAt(task, 'keyword')!).map(({ value, relevance }) => ({ suggestion: value, relevance, suggestion_type: null }));
      return rows.length === 0 ? undefined : { items: ranked('autocomplete', rows) };
    },
  }, // prettier-ignore
  'serp/google/ai_mode/live/advanced': {
    params: `keyword*, ${located}, device=desktop|mobile, os, tag`,
    page: 1, usual: 1, most: 1, price: 0.008,
    answer: (task) => {
      const answer = world.answer(textAt(task, 'keyword')!);
      return answer && { items: [{ type: 'ai_overview', rank_group: 1, rank_absolute: 1, page: 1, ...overviewOf(answer) }] };
    },
  }, // prettier-ignore
  'serp/google/images/live/advanced': {
    params: `${common}, search_param`,
    page: 100, usual: 100, most: 200, price: 0.002,
    answer: (task, at, depth) => {
      const rows = world.images(at, textAt(task, 'keyword')!).slice(0, depth);
      const items = rows.map(({ title, host, link, original, thumbnail }) => ({
        title, subtitle: host, alt: title, url: link, source_url: original, encoded_url: thumbnail,
      }));
      return rows.length === 0 ? undefined : { items: [...ranked('images_search', items), { type: 'related_searches', rank_group: 1, rank_absolute: 1, items: [] }] };
    },
  }, // prettier-ignore
  'serp/google/news/live/advanced': {
    params: `${common}, search_param`,
    page: 10, usual: 10, most: 200, price: 0.002,
    answer: (task, at, depth) => {
      const rows = world.news(at, textAt(task, 'keyword')!).slice(0, depth);
      const items = rows.map(({ title, link, host, thumbnail, snippet, date }) => ({
        title, url: link, domain: host, image_url: thumbnail, snippet, time_published: '2 hours ago', timestamp: when(date),
      }));
      return rows.length === 0 ? undefined : { beside: { includes_non_news_search_results: false }, items: ranked('news_search', items) };
    },
  }, // prettier-ignore
  'serp/google/finance_quote/live/advanced': {
    params: `keyword*, ${located}, device, os, tag, window=1D|5D|1M|6M|YTD|1Y|5Y|MAX, news_type`,
    page: 1, usual: 1, most: 1, price: 0.002,
    answer: (task) => {
      const found = world.quote(textAt(task, 'keyword')!);
      return found && { items: ranked('google_finance_quote', [{ quote: { name: found.name, price: found.price }, graph_items: [] }]) }; // guess: the form of a quote
    },
  }, // prettier-ignore
  'serp/google/maps/live/advanced': {
    params: `${common}, search_this_area=true|false, search_places=true|false`,
    page: 100, usual: 100, most: 700, price: 0.002,
    answer: (task, at, depth) => {
      const coordinate = textAt(task, 'location_coordinate');
      const [, latitude, longitude, zoom] = /^(-?[\d.]+),(-?[\d.]+),(\d+)z$/.exec(coordinate ?? '') ?? [];
      const view = zoom === undefined ? undefined : { latitude: Number(latitude), longitude: Number(longitude), zoom: Number(zoom) };
      const rows = world.places(at, textAt(task, 'keyword')!, view).slice(0, depth);
      const items = rows.map((one) => ({
        domain: new URL(one.website).host, title: one.title, url: one.website, rating: one.reviews === 0 ? null : rated(one.rating, one.reviews),
        address: one.address, address_info: { address: one.address, city: one.town, zip: null, country_code: null }, place_id: one.placeId,
        phone: one.phone, category: one.type, additional_categories: null, feature_id: one.dataId, cid: one.cid, latitude: one.latitude,
        longitude: one.longitude, is_claimed: true, work_hours: null, total_photos: 27,
      }));
      return rows.length === 0 ? undefined : { items: ranked('maps_search', items) };
    },
  }, // prettier-ignore
  'business_data/google/hotel_searches/live': {
    params: `keyword, ${located}, tag, depth#, check_in, check_out, currency, adults#, children, sort_by=relevance|lowest_price|highest_rating|most_reviewed, min_price#, max_price#, min_rating, stars, free_cancellation, is_vacation_rentals, amenities`, // prettier-ignore
    page: 18, usual: 18, most: 140, price: 0.002,
    answer: (task, at, depth) => {
      const rows = world.hotels(at, textAt(task, 'keyword') ?? '', textAt(task, 'check_in')).slice(0, depth);
      const items = rows.map((hotel) => ({
        hotel_identifier: hotel.token, title: hotel.name, stars: hotel.stars, is_paid: false,
        location: { latitude: hotel.latitude, longitude: hotel.longitude }, reviews: { value: hotel.rating, votes_count: hotel.reviews },
        overview_images: [], prices: { price: hotel.price, currency: 'USD' },
      }));
      return rows.length === 0 ? undefined : { items: ranked('hotel_search_item', items) };
    },
  }, // prettier-ignore
  'business_data/google/hotel_info/live/advanced': {
    params: `hotel_identifier*, ${located}, tag, check_in, check_out, currency, adults#, children`,
    page: 1, usual: 1, most: 1, price: 0.002,
    answer: (task) => {
      const { name, token, price } = world.hotelOf(textAt(task, 'hotel_identifier')!, textAt(task, 'check_in'));
      return { beside: { hotel_identifier: token, title: name, prices: { price, currency: 'USD' } }, items: [] };
    },
  }, // prettier-ignore
  'serp/google/jobs': {
    params: `keyword*, ${located}, location_radius, employment_type, tag, depth#, ${waiting}`,
    page: 10, usual: 10, most: 200, price: 0.0006,
    answer: (task, at, depth) => {
      const rows = world.jobs(at, textAt(task, 'keyword')!).slice(0, depth);
      const items = rows.map((job) => ({
        job_id: job.id, title: job.title, employer_name: job.company, location: job.location, source_name: 'via Jobs', source_url: job.link,
        salary: null, contract_type: null, timestamp: when(job.date), time_ago: '2 days ago',
      }));
      return rows.length === 0 ? undefined : { items: ranked('google_jobs_item', items) };
    },
  }, // prettier-ignore
  'business_data/google/reviews': {
    params: `cid, place_id, keyword, ${located}, sort_by=newest|highest_rating|lowest_rating|relevant, tag, depth#, ${waiting}`,
    page: 10, usual: 10, most: 4490, price: 0.00075,
    answer: (task, at, depth) => {
      const one = placeIn(task, at);
      if (one === undefined || one.reviews === 0) return undefined;
      const order = orders[(task['sort_by'] ?? 'relevant') as keyof typeof orders];
      const items = world.reviews(at, one, order).slice(0, depth).map(({ id, rating, text, time, link, user, reply }) => ({
        review_text: text, original_review_text: text, time_ago: 'a month ago', timestamp: when(time), rating: rated(rating, 1),
        reviews_count: user.reviews, photos_count: 1, local_guide: false, profile_name: user.name, profile_url: user.link, review_url: link,
        owner_answer: reply ?? null, owner_timestamp: reply === undefined ? null : when(time), review_id: id, images: null,
      }));
      const beside = { title: one.title, sub_title: one.address, rating: rated(one.rating, one.reviews), feature_id: one.dataId };
      // guess: the name of the type
      return { beside: { ...beside, place_id: one.placeId, cid: one.cid, reviews_count: one.reviews }, items: ranked('google_reviews_search', items) };
    },
  }, // prettier-ignore
  'business_data/google/my_business_updates': {
    params: `keyword*, ${located}, tag, depth#, ${waiting}`,
    page: 10, usual: 10, most: 4490, price: 0.00075,
    answer: (task, at, depth) => {
      const one = placeIn(task, at);
      const rows = one === undefined ? [] : world.posts(at, one).slice(0, depth);
      const items = rows.map(({ text, link, image, date }) => ({
        author: one?.title, snippet: text, post_text: text, url: link, images_url: image, post_date: '11/01/2026 10:00:00', timestamp: when(date), links: [],
      }));
      return rows.length === 0 ? undefined : { items: ranked('google_business_post', items) };
    },
  }, // prettier-ignore
  'merchant/google/sellers': {
    params: `product_id, data_docid, gid, ${located}, tag, depth#, ${waiting}`,
    page: 10, usual: 10, most: 200, price: 0.001,
    answer: (task, _, depth) => {
      const { stores } = world.product(textAt(task, 'product_id') ?? textAt(task, 'gid') ?? textAt(task, 'data_docid')!);
      const items = stores.slice(0, depth).map(({ name, link, price }) => ({ title: name, url: link, domain: link, price: { current: price, currency: 'USD' } }));
      return stores.length === 0 ? undefined : { items: ranked('shops_list', items) }; // guess: the fields
    },
  }, // prettier-ignore
  'merchant/google/product_info': {
    params: `product_id, data_docid, gid, ${located}, tag, ${waiting}`,
    page: 1, usual: 1, most: 1, price: 0.001,
    answer: (task) => {
      const { title, stores } = world.product(textAt(task, 'product_id') ?? textAt(task, 'gid') ?? textAt(task, 'data_docid')!);
      const sellers = stores.map(({ name, link, price }) => ({ title: name, url: link, price: { current: price, currency: 'USD' } }));
      return { items: ranked('product_info_element', [{ title, description: '', url: '', images: [], sellers }]) };
    },
  }, // prettier-ignore
};

const words: { readonly [code: number]: string } = {
  20000: 'Ok.', 20100: 'Task Created.', 40000: 'You can set only one task at a time.', 40006: 'You can set at most 100 tasks.',
  40100: 'You are not Authorized to Access this Resource.', 40101: 'Search engine error.', 40102: 'No Search Results.', 40200: 'Payment Required.',
  40202: 'Rate-limit per minute exceeded.', 40209: 'You have reached the limit of simultaneous requests.', 40400: 'Not Found.', 40401: 'Task Not Found.',
  40403: 'Results Expired.', 40501: 'Invalid Field', 40502: 'POST Data Is Empty.', 40503: 'POST Data Is Invalid.', 40506: 'Unknown Fields in POST Data.',
  40602: 'Task In Queue.', 50000: 'Internal Error.',
}; // prettier-ignore

/** A whole response. Upper troubles have no tasks. */
const envelope = (code: number, tasks: readonly object[] | null = null, cost = 0, status = 200): VendorReply => ({
  status,
  body: { version: '0.1.20260717', status_code: code, status_message: words[code], time: '0.1 sec.', cost, tasks_count: tasks?.length ?? 0, tasks_error: 0, tasks },
  cost,
}); // prettier-ignore

const vendor = (): Vendor => {
  /** Tasks that were set, with the number of times that they aren't done yet. */
  const kept = new Map<
    string,
    { readonly path: string; readonly task: Given; readonly done: object; pending: number; readonly at: number }
  >();
  let tasksSet = 0;

  /** One task: its result, or what is wrong with it. */
  const performed = (path: string, api: Api, task: Given, standIn: StandIn): { readonly task: object; readonly cost: number } => {
    const id = `${String(++tasksSet).padStart(8, '0')}-0000-0139-0000-000000000000`;
    const isLive = /\/live(\/|$)/.test(path);
    const made = (code: number, cost: number, result: readonly object[] | null, word = words[code]) => ({
      cost,
      task: { id, status_code: code, status_message: word, time: '0.1 sec.', cost, result_count: result?.length ?? 0, path: ['v3', ...path.split('/')],
        data: { api: path.split('/')[0], function: isLive ? 'live' : 'task_get', ...task }, result },
    }); // prettier-ignore
    const [before, where] = [standIn.unknown.length, path];
    const fault = checkParams(api.params, task, standIn, where);
    if (standIn.unknown.length > before) return made(40506, 0, null, `${words[40506]}: ${standIn.unknown.at(-1)!.split(': ')[1]}`);
    if (fault !== undefined) return made(40501, 0, null, `${words[40501]}: '${fault.name}'.`);
    const place = ['location_code', 'location_name', 'location_coordinate'].filter((name) => task[name] !== undefined);
    if (place.length !== 1) return made(40501, 0, null, `${words[40501]}: 'location_code'.`);
    const depth = numberAt(task, 'depth', api.usual);
    const speaks = task['language_code'] !== undefined || task['language_name'] !== undefined || !api.params.includes('language_code');
    // guess: that live/advanced of images, news and finance demand a language, as the others do
    if (!speaks || depth < 1 || depth > api.most) return made(40501, 0, null, `${words[40501]}: '${speaks ? 'depth' : 'language_code'}'.`);
    if (textAt(task, 'keyword')?.startsWith('sleepy ')) return made(40101, api.price, null);
    const pages = Math.ceil(depth / (task['device'] === 'mobile' && api.page === 100 && path.includes('/maps/') ? 20 : api.page));
    const operators = /\bsite:/.test(textAt(task, 'keyword') ?? '') ? 5 : 1;
    const full = path.includes('/organic/') ? 1 + 0.75 * (pages - 1) : pages;
    const more = textAt(task, 'load_async_ai_overview') === 'true' ? 0.002 : 0;
    const cost = Number((api.price * full * operators * (numberAt(task, 'priority', 1) === 2 ? 2 : 1) + more).toFixed(6));
    const found = api.answer(task, standIn.world, depth);
    if (found === undefined) return made(40102, cost, null);
    const { items, beside } = found;
    const echo = {
      keyword: task['keyword'],
      location_code: task['location_code'],
      language_code: task['language_code'],
      check_url: 'https://www.google.com/',
    };
    const types = [...new Set(items.map((item) => ('type' in item ? item.type : '')))];
    const result = {
      ...echo,
      datetime: '2026-11-28 10:00:00 +00:00',
      ...beside,
      item_types: types,
      se_results_count: 1000,
      items_count: items.length,
      items,
    };
    return made(20000, cost, [result]);
  };

  const post = (path: string, body: unknown, standIn: StandIn): VendorReply => {
    const list = Array.isArray(body) ? body : standIn.odd.has('listOnly') || body === undefined ? undefined : Object.values(body as object);
    if (list === undefined || list.some((task) => typeof task !== 'object' || task === null))
      return envelope(body === undefined ? 40502 : 40503);
    const tasks = list as readonly Given[];
    const isSet = path.endsWith('/task_post');
    const api =
      apis[isSet ? path.slice(0, -'/task_post'.length) : path] ??
      (isSet ? apis[`${path.slice(0, -'/task_post'.length)}/live/advanced`] : undefined);
    if (api === undefined) return envelope(40400, null, 0, 404);
    // guess: that it is said of a task
    if (!isSet && tasks.length !== 1)
      return envelope(20000, [
        { id: 'none', status_code: 40000, status_message: words[40000], cost: 0, result_count: 0, data: {}, result: null },
      ]);
    const done = tasks.map((task) => performed(path, api, task, standIn));
    const cost = done.reduce((sum, one) => sum + one.cost, 0);
    if (!isSet) return envelope(20000, done.map(({ task }) => task), cost); // prettier-ignore
    const answers = done.map(({ task, cost }, index) => {
      const one = task as { readonly id: string; readonly status_code: number };
      if (one.status_code !== 20000 && one.status_code !== 40102 && one.status_code !== 40101) return task;
      kept.set(one.id, {
        path: path.slice(0, -'/task_post'.length),
        task: tasks[index]!,
        done: { ...task, cost: 0 },
        pending: 2,
        at: standIn.now(),
      });
      return { ...task, status_code: 20100, status_message: words[20100], cost, result_count: 0, result: null };
    });
    return { ...envelope(20000, answers, cost), headers: atOnce };
  };

  const get = (path: string, standIn: StandIn): VendorReply => {
    const [, of, advanced, id] = /^(.+)\/task_get(\/advanced|\/regular)?\/([\w-]+)$/.exec(path) ?? [];
    if (of === undefined) return envelope(40400, null, 0, 404);
    const one = kept.get(id!);
    const none = (code: number): VendorReply => envelope(20000, [{ id, status_code: code, status_message: words[code], cost: 0, result_count: 0, path: ['v3', ...path.split('/')], data: {}, result: null }]); // prettier-ignore
    // results of business_data have no `advanced` in their address
    if (one === undefined || one.path !== of || of.startsWith('business_data') === (advanced !== undefined)) return none(40401);
    if (standIn.now() - one.at > 30 * 86_400_000) return none(40403);
    if (one.pending-- > 0) return { ...none(40602), headers: atOnce };
    return envelope(20000, [one.done]);
  };

  return {
    key: 'login@example.com:0a1b2c3d4e5f6071',
    limit: { requests: 2000, perMs: 60_000 },
    atOnce: 30,
    keyOf: ({ headers }) => {
      const [, basic] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
      return basic === undefined ? undefined : Buffer.from(basic, 'base64').toString();
    },
    says: {
      wrongKey: { ...envelope(40100, null, 0, 401), headers: { 'www-authenticate': 'Basic' } },
      noCredits: envelope(40200, null, 0, 402),
      tooFast: envelope(40202),
      tooMany: envelope(40209),
      outage: envelope(50000, null, 0, 500),
    },
    answer: ({ method, path, body }, standIn) => {
      const inner = path.replace(/^\/v3\//, '');
      if (inner === path) return envelope(40400, null, 0, 404);
      if (inner === 'appendix/user_data') {
        const money = { total: 100, balance: Math.min(standIn.credits, 1e9), limits: {}, statistics: {} };
        const result = [
          { login: standIn.key.split(':')[0], timezone: 'UTC', rates: { limits: { day: {}, minute: {} } }, money, price: {} },
        ];
        return envelope(20000, [{ id: 'user', status_code: 20000, status_message: 'Ok.', cost: 0, result_count: 1, data: {}, result }]);
      }
      return method === 'POST' ? post(inner, body, standIn) : get(inner, standIn);
    },
  };
};

/**
 * DataForSEO. Costs are dollars. A keyword that begins with 'sleepy' fails with 40101, which is paid. Odd: listOnly (a body that is an object with
 * the keys 0, 1, … is refused).
 */
export const startDataForSeo = (options?: StandInOptions): Promise<StandIn> => startStandIn(vendor(), options);
