import { range } from '../world/cursor.ts';
import { stretchOf } from '../world/webPage.ts';
import type { World, WorldQuery } from '../world/World.ts';
import { phrase, prose, slug } from '../world/words.ts';

const perPage = 20;

/** E7: images, twenty a page, and suggested terms whose `chips` narrow the search. */
export function answerImageSearch(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const chip = query['chips'] === undefined ? '' : String(world.open('chips', 'chips', String(query['chips']))[0]);
  const { from, to } = stretchOf(world, `images ${chip}`, query, perPage);
  const random = world.random('images', text);
  return {
    time_taken: random.int(20, 90) / 100,
    ads: [],
    suggested_searches: range(0, 4).map(() => {
      const name = phrase(random, 1).toLowerCase();
      return { name, chips: world.seal('chips', `${chip} ${name}`.trim()) };
    }),
    images_results: range(from, to).map((index) => image(world, `${text} ${chip}`.trim(), index)),
  };
}

function image(world: World, text: string, index: number): object {
  const random = world.random('image', text.toLowerCase(), index);
  const source = `${slug(phrase(random, 1))}.example`;
  const id = random.key(12);
  return {
    title: prose(random, 3, 8),
    image: `https://images.engine.example/thumb/${id}`,
    source,
    original: `https://${source}/${slug(text)}-${id}.jpg`,
    link: `https://${source}/${slug(text)}`,
    original_height: random.int(200, 4000),
    original_width: random.int(200, 6000),
    original_size: random.chance(0.5) ? `${random.int(20, 990)}KB` : `${random.int(10, 90) / 10}MB`,
    know_more_link: random.chance(0.3) ? '' : `https://www.engine.example/imgres?id=${id}`,
    rank: index + 1,
    is_product: random.chance(0.2),
    is_licensable: random.chance(0.2),
    is_video: random.chance(0.05),
  };
}
