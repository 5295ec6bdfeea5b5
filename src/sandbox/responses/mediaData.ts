import { range, type World, type WorldQuery } from '../world/World.ts';
import { stretchOf, pageNumbers } from '../world/webPage.ts';
import type { Random } from '../world/Random.ts';
import { phrase, prose, slug, ago, dayAgo, titled, instantAgo, personName } from '../world/words.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';

const perPage = 20;

/** Images, twenty a page, and suggested terms whose `chips` narrow the search. */
export function imageSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const chip = query['chips'] === undefined ? '' : String(world.open('chips', 'chips', String(query['chips']))[0]);
  const { from, to } = stretchOf(world, `images ${chip}`, query, perPage);
  const filters = filtersOf(query);
  const random = world.random('images', text);
  return {
    time_taken: random.int(20, 90) / 100,
    ads: [],
    suggested_searches: range(0, 4).map(() => {
      const name = phrase(random, 1).toLowerCase();
      return { name, chips: world.seal('chips', `${chip} ${name}`.trim()) };
    }),
    images_results: range(from, to).map((index) => image(world, `${text} ${chip}`.trim(), index, filters)),
  };
}

interface Filters {
  /** Part of each image's seed, so that other filters find other images. */
  readonly seed: string;
  /** Width divided by height. undefined: any. */
  readonly shape: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly licensed: boolean;
  readonly animated: boolean;
}

function filtersOf(query: WorldQuery): Filters {
  const names = [
    'image_color',
    'image_type',
    'licenses',
    'imgar',
    'imgsz',
    'period_unit',
    'period_value',
    'start_date',
    'end_date',
    'safe',
  ];
  const given = names.filter((name) => query[name] !== undefined).map((name) => `${name}=${String(query[name])}`);
  const size = String(query['imgsz'] ?? '');
  const megapixels = /^(\d+)mp$/.exec(size)?.[1];
  const min = megapixels === undefined ? ({ l: 1600, m: 600, i: 16 }[size] ?? 200) : Math.ceil(Math.sqrt(Number(megapixels) * 1_000_000));
  return {
    seed: given.join('&'),
    shape: { s: 1, t: 0.6, w: 1.6, xw: 3 }[String(query['imgar'] ?? '')],
    min,
    max: { m: 1200, i: 128 }[size] ?? 6000,
    licensed: query['licenses'] !== undefined,
    animated: query['image_type'] === 'animated',
  };
}

function image(world: World, text: string, index: number, filters: Filters): object {
  const random = world.random('image', text.toLowerCase(), index, ...(filters.seed === '' ? [] : [filters.seed]));
  const source = `${slug(phrase(random, 1))}.example`;
  const id = random.key(12);
  return {
    title: prose(random, 3, 8),
    image: `https://images.engine.example/thumb/${id}`,
    source,
    original: `https://${source}/${slug(text)}-${id}.${filters.animated ? 'gif' : 'jpg'}`,
    link: `https://${source}/${slug(text)}`,
    ...size(random, filters),
    original_size: random.chance(0.5) ? `${random.int(20, 990)}KB` : `${random.int(10, 90) / 10}MB`,
    know_more_link: random.chance(0.3) ? '' : `https://www.engine.example/imgres?id=${id}`,
    rank: index + 1,
    is_product: random.chance(0.2),
    is_licensable: random.chance(0.2) || filters.licensed,
    is_video: random.chance(0.05),
  };
}

function size(random: Random, { shape, min, max }: Filters): { readonly original_height: number; readonly original_width: number } {
  if (shape === undefined) return { original_height: random.int(min, Math.min(max, 4000)), original_width: random.int(min, max) };
  const height = random.int(Math.ceil(min / Math.min(1, shape)), Math.max(min * 2, Math.floor(max / Math.max(1, shape))));
  return { original_height: height, original_width: Math.round(height * shape) };
}

/** The most days since a video was published, by the value of `result_time`. */
const oldest: { readonly [time: string]: number | undefined } = { 'qdr:h': 1, 'qdr:d': 1, 'qdr:w': 7, 'qdr:m': 30, 'qdr:y': 365 };

/** Videos, ten a page. */
export function videoSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const { from, to, page, pages } = stretchOf(world, `videos ${query['result_time'] ?? ''}`, query);
  return {
    videos_results: range(from, to).map((index) => {
      const random = world.random('video', text.toLowerCase(), query['result_time'], index);
      const host = `${slug(phrase(random, 1))}.example`;
      const days = random.int(0, 2500) % (oldest[String(query['result_time']).slice(0, 5)] ?? 2501);
      return {
        title: random.chance(0.1) ? `"${titled(text)}" 🎬 explained` : `${titled(text)}: ${phrase(random, 4)}`,
        image: random.chance(0.1) ? '' : `https://images.engine.example/video/${random.key(12)}`,
        snippet: prose(random, 8, 20),
        link: `https://${host}/watch?v=${random.key(11)}`,
        time: random.chance(0.5) ? ago(days) : dayAgo(days),
        displayed_link: `${host} › watch`,
        favicon: `https://${host}/favicon.ico`,
        extensions: random.chance(0.3) ? [] : [`${random.int(1, 59)}:${random.digits(2)}`, `Uploaded by ${phrase(random, 1)}`],
      };
    }),
    pagination: { page_no2: pageNumbers('/videos', query, page, pages) },
  };
}

const topics = ['World', 'Business', 'Technology', 'Science & Health', 'Sport'] as const;

/**
 * Articles, story groups, and menus whose tokens lead to topics, sections and publications. The latest news are of the last day, the
 * newest first. Each day some new articles come first, and as many of the last ones go.
 */
export function newsSearchData(query: WorldQuery, world: World): object {
  const tokens = ['topic_token', 'section_token', 'publication_token'].map((param) => {
    const token = query[param];
    return token === undefined ? '' : String(world.open(param, param, String(token))[0]);
  });
  if (query['section_token'] !== undefined && tokens[0] === '' && tokens[2] === '') {
    throw new SandboxRefusal(400, 'section_token: it needs the topic_token or publication_token it came with');
  }
  const subject = [String(query['query']), ...tokens].join(' ').trim();
  const random = world.random('news', subject, query['country'], query['language']);
  const count = random.int(6, 18);
  const latest = tokens[1] === 'Latest';
  const known = range(0, count).map((index) =>
    index % 5 === 3 && !latest
      ? {
          title: `${titled(subject)}: ${phrase(random, 4)}`,
          stories: range(0, random.int(2, 4)).map((rank) => article(random, subject, rank + 1, tokens[2])),
        }
      : article(random, subject, index + 1, tokens[2], latest ? 1 : 31),
  );
  const published = range(1, world.day + 1).flatMap((day) => {
    const ofDay = world.random('news of a day', subject, query['country'], query['language'], day);
    return range(0, ofDay.int(0, 2)).map(() => article(ofDay, subject, 1, tokens[2], 1, day));
  });
  const articles = [...published.toReversed(), ...known].slice(0, count);
  return {
    menu_links: topics.map((title) => ({ title, topic_token: world.seal('topic_token', title) })),
    sub_menu_links:
      tokens[0] === '' ? [] : ['Latest', 'Opinion'].map((title) => ({ title, section_token: world.seal('section_token', title) })),
    publications: range(0, 3).map(() => {
      const title = `The ${phrase(random, 1)} Post`;
      return { title, publication_token: world.seal('publication_token', title) };
    }),
    news_results: ranked(latest ? newestFirst(articles as Article[]) : articles),
  };
}

interface Article {
  readonly date: string;
  readonly [field: string]: unknown;
}

function newestFirst(articles: readonly Article[]): readonly Article[] {
  return articles.toSorted((a, b) => Date.parse(b.date) - Date.parse(a.date));
}

/** Sets the rank of each article. A group of stories has none. */
function ranked(articles: readonly object[]): object[] {
  return articles.map((each, index) => ('rank' in each ? { ...each, rank: index + 1 } : each));
}

function article(random: Random, subject: string, rank: number, publication: string | undefined, days = 31, day = 0): Article {
  const own = `The ${phrase(random, 1)} Times`;
  const source = publication === undefined || publication === '' ? own : publication;
  const title = random.chance(0.1) ? prose(random, 5, 9) : `${titled(subject)}: “${phrase(random, random.int(3, 7))}”`;
  return {
    title,
    link: `https://${slug(source)}.example/${slug(title)}`,
    thumbnail: random.chance(0.2) ? '' : `https://images.engine.example/news/${random.key(14)}`,
    source,
    icon: `https://${slug(source)}.example/icon.png`,
    authors: random.chance(0.3) ? [] : range(0, random.int(1, 2)).map(() => personName(random)),
    date: instantAgo(random.int(0, days - 1) + random.next() - day),
    rank,
  };
}
