import { range, type World, type WorldQuery } from '../world/World.ts';
import { stretchOf } from '../world/webPage.ts';
import type { Random } from '../world/Random.ts';
import { phrase, prose, slug } from '../world/words.ts';

const perPage = 20;

/** E7: images, twenty a page, and suggested terms whose `chips` narrow the search. */
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
