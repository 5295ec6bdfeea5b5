import type { World } from './World.ts';
import { followedSite } from './webPage.ts';
import { phrase, prose, slug, titled } from './words.ts';

/** The blocks of a generated text, for the boxes of web search and for overviews. */
export function textBlocks(world: World, text: string, seedling: string, headings: boolean): object[] {
  const random = world.random('blocks', seedling, text);
  const highlighted = random.chance(0.7) ? [text] : [];
  const sources = references(world, text, seedling, 1);
  return [
    ...(headings && random.chance(0.5) ? [{ type: 'heading', snippet: phrase(random, 3) }] : []),
    { type: 'paragraph', snippet: `${titled(text)}: ${prose(random, 12, 30)}`, snippet_highlighted_words: highlighted },
    {
      type: 'list',
      list: Array.from({ length: random.int(2, 5) }, () => ({
        title: random.chance(0.2) ? '' : phrase(random, 2),
        snippet: prose(random, 6, 16),
        ...(random.chance(0.5) ? { link: random.pick(sources).link } : {}),
      })),
    },
    ...(random.chance(0.4) ? [{ type: 'paragraph', snippet: prose(random, 8, 20), snippet_highlighted_words: [] }] : []),
  ];
}

/** The sources of a generated text. */
export function references(
  world: World,
  text: string,
  seedling: string,
  first: number,
): { index: number; title: string; link: string; snippet?: string; source: string }[] {
  const random = world.random('references', seedling, text);
  return Array.from({ length: random.int(1, 5) }, (_, index) => {
    const source = phrase(random.chance(0.5) ? world.random('known source', random.int(0, 7)) : random, 2);
    const host = random.chance(0.15) ? `www.${followedSite}` : `${slug(source)}.example`;
    return {
      title: `${titled(text)}, ${phrase(random, 3).toLowerCase()}`,
      link: `https://${host}/${slug(text)}${index === 0 ? '' : `-${index + 1}`}`,
      ...(random.chance(0.8) ? { snippet: prose(random, 8, 18) } : {}),
      source: random.chance(0.15) ? '' : source,
      index: first + index,
    };
  });
}
