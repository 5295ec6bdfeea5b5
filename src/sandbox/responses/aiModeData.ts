import { range, type World, type WorldQuery } from '../world/World.ts';
import { references } from '../world/generated.ts';
import { phrase, prose, titled } from '../world/words.ts';

/** E5: a generated answer and its sources. */
export function aiModeData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const random = world.random('ai mode', text);
  const sources = references(world, text, 'ai mode', 1);
  return {
    inline_images: [],
    text_blocks: [
      { type: 'paragraph', snippet: `${titled(text)}: ${prose(random, 12, 30)}` },
      { type: 'heading', text: phrase(random, 3), level: random.int(2, 3) },
      {
        type: 'list',
        items: range(0, random.int(2, 5)).map(() => ({
          type: 'list_item',
          snippet: prose(random, 6, 16),
          links: random.chance(0.5) ? [] : [{ text: phrase(random, 1), link: random.pick(sources).link }],
        })),
      },
    ],
    references: sources.map((source) => ({
      ...source,
      thumbnail: random.chance(0.3) ? '' : `https://images.engine.example/${random.key(16)}`,
      favicon: `${source.link.split('/').slice(0, 3).join('/')}/favicon.ico`,
    })),
    local_results: [],
  };
}
