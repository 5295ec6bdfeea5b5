import { placesNearby } from '../world/reviews.ts';
import { followedSite, webResults, stretchOf, pageNumbers } from '../world/webPage.ts';
import { range, type World, type WorldQuery } from '../world/World.ts';
import { dayAgo, phrase, prose, shortCount, slug, titled } from '../world/words.ts';
import { priceOf, productToken } from './productData.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';

/** Results, with boxes on the first page. Seven queries of eight have an overview that soon expires. */
export function webSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const { from, to, page } = stretchOf(world, 'web', query);
  const random = world.random('web', text);
  const first = page === 0;
  return {
    search_information: {
      time_taken: random.int(20, 90) / 100,
      total_results: random.int(10_000, 90_000_000),
      query_displayed: text,
      spelling_fixed: random.chance(0.2) ? `${text}s` : '',
      showing_results_for: '',
      organic_results_state: to > from ? 'Results for exact spelling' : 'Fully empty',
      url: `https://www.engine.example/search?q=${encodeURIComponent(text)}`,
    },
    knowledge_graph: knowledge(world, text),
    local_results: first ? localResults(world, text) : [],
    peopleAlsoAskedFor: first ? questions(world, text) : [],
    organic_results: webResults(world, 'desktop', query, { from, to }),
    ...(first ? { immersive_products: products(world, text) } : {}),
    ...(first && random.chance(7 / 8) ? { ai_overview_url: overviewUrl(world, text) } : {}),
  };
}

/** How long the address of an overview lives. */
const overviewTtlMs = 120_000;

/** The address of a query's overview, valid until it expires. */
function overviewUrl(world: World, text: string): string {
  return `https://www.engine.example/async/overview?ei=${world.seal('overview', text, world.now())}`;
}

function knowledge(world: World, text: string): object {
  const random = world.random('knowledge', text);
  const founder = phrase(random, 2);
  return {
    title: titled(text),
    ...(random.chance(0.7) ? { origin: phrase(random, 1) } : {}),
    ...(random.chance(0.7) ? { founded: dayAgo(random.int(2000, 30_000)) } : {}),
    ...(random.chance(0.7)
      ? { founder, founder_links: [{ text: founder, link: `https://www.engine.example/search?q=${slug(founder)}` }] }
      : {}),
    ...(random.chance(0.5) ? { 'nutrition "per 100 g"': '1 kcal' } : {}),
  };
}

function localResults(world: World, text: string): object[] {
  return placesNearby(world, text, 3).map((place, index) => {
    const random = world.random('local', place.placeId);
    return {
      position: index + 1,
      title: place.title,
      place_id: place.placeId,
      rating: place.reviews === 0 ? '' : String(place.rating),
      reviews: place.reviews === 0 ? '' : shortCount(place.reviews),
      address: place.address,
      hours: random.chance(0.2) ? '' : 'Open ⋅ Closes 6 PM',
      links: random.chance(0.7) ? { website: `https://${slug(place.title)}.example/`, directions: 'https://maps.engine.example/dir' } : {},
    };
  });
}

function questions(world: World, text: string): object[] {
  const random = world.random('questions', text);
  return range(0, random.int(0, 4)).map((index) => ({
    question: `${random.pick(['What is', 'Is it worth paying for', 'Who invented', 'How much "real" is there in'])} ${text}?`,
    rank: index + 1,
    text_blocks: textBlocks(world, text, `question ${index}`, true),
    references: references(world, text, `question ${index}`, 0),
  }));
}

function products(world: World, text: string): object[] {
  const random = world.random('products', text);
  return range(0, random.int(1, 4)).map((index) => ({
    title: prose(random, 2, 4),
    price: `$${priceOf(world, `${text} ${index}`).toFixed(2)}`,
    page_token: productToken(world, `${text} ${index}`),
  }));
}

/** The results of web search, with less around them. */
export function lightSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const { from, to, page, pages } = stretchOf(world, 'web', query);
  const random = world.random('light', text);
  const link = (words: string): string => `https://www.engine.example/search?q=${encodeURIComponent(words)}`;
  return {
    search_information: { query_displayed: text, organic_results_state: to > from ? 'Results for exact spelling' : 'Fully empty' },
    menu_items: ['Images', 'Videos', 'News', 'Maps'].map((title, index) => ({
      title,
      link: `${link(text)}&tbm=${index}`,
      position: index + 1,
    })),
    local_results: placesNearby(world, text, page === 0 ? 3 : 0).map((place, index) => ({
      position: index + 1,
      title: place.title,
      place_id: place.placeId,
      rating: place.reviews === 0 ? '' : String(place.rating),
      reviews: shortCount(place.reviews),
      description: random.chance(0.3) ? '' : `${place.type}, ${place.address}`,
    })),
    peopleAlsoAskedFor: [],
    organic_results: webResults(world, 'desktop', query, { from, to }),
    relatedSearches: range(0, random.int(0, 8)).map(() => {
      const related = `${text} ${phrase(random, 1).toLowerCase()}`;
      return { query: related, link: link(related) };
    }),
    pagination: { page_no: pageNumbers('/search', query, page, pages) },
  };
}

/** Results for a phone. The last local one may be a link to more. */
export function mobileSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const { from, to, page } = stretchOf(world, 'web', query);
  const random = world.random('mobile', text);
  const places = placesNearby(world, text, page === 0 ? random.int(2, 4) : 0).map((place, index) => ({
    position: index + 1,
    title: place.title,
    rating: place.reviews === 0 ? '' : String(place.rating),
    reviews: shortCount(place.reviews),
    extensions: random.chance(0.3) ? [] : [place.type, '"Cosy", they say'],
    address: place.address,
    hours: random.chance(0.3) ? '' : 'Closed ⋅ Opens 7 AM',
    links: random.chance(0.5) ? { website: `https://${slug(place.title)}.example/` } : {},
  }));
  const more =
    page === 0 && random.chance(0.7) ? [{ more_locations_link: `https://maps.engine.example/search/${encodeURIComponent(text)}` }] : [];
  return {
    local_results: [...places, ...more],
    peopleAlsoAskedFor: [],
    organic_results: webResults(world, 'mobile', query, { from, to }),
  };
}

/** A generated answer and its sources. When it is requested again, it has fewer and other sources. */
export function aiModeData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const time = world.timesAnswered(text) + world.day;
  const random = time === 0 ? world.random('ai mode', text) : world.random('ai mode', text, time);
  const sources = sourcesAt(world, text, time);
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

/**
 * The sources of an answer. The first time, all of them. Later only some, each with its own chance, and now and then also the followed
 * site.
 */
function sourcesAt(world: World, text: string, time: number): ReturnType<typeof references> {
  const all = references(world, text, 'ai mode', 1);
  if (time === 0) return all;
  const random = world.random('answer', text, time);
  const own = { title: `${titled(text)}, explained`, link: `https://www.${followedSite}/${slug(text)}`, source: 'Acme', index: 0 };
  const [first, ...more] = all.filter(({ link }) => random.chance(0.3 + 0.6 * world.random('chance', text, link).next()));
  const sources = [first ?? all[0]!, ...more, ...(random.chance(0.4) && !all.some(({ link }) => link === own.link) ? [own] : [])];
  return sources.map((source, index) => ({ ...source, index: index + 1 }));
}

/** The overview at a web search's `ai_overview_url`. After that has expired, an error with code 410. */
export function aiOverviewData(query: WorldQuery, world: World): object {
  const token = /[?&]ei=([^&]+)/.exec(String(query['url']))?.[1] ?? '';
  const [text, issued] = world.open('overview', 'url', token);
  if (world.now() - Number(issued) > overviewTtlMs) {
    throw new SandboxRefusal(200, 'url: it has expired; search again and request the new one at once', 410);
  }
  const words = String(text);
  return { ai_overview: { text_blocks: textBlocks(world, words, 'overview', false), references: references(world, words, 'overview', 1) } };
}

/** Up to ten suggestions that begin with the text, the most relevant first. */
export function autocompleteData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const random = world.random('autocomplete', text.toLowerCase(), query['country'], query['language']);
  let relevance = 1300;
  return {
    suggestions: range(0, random.chance(0.05) ? 0 : random.int(4, 10)).map((index) => {
      relevance -= random.int(1, 90);
      return {
        value: index === 0 ? text : `${text} ${random.chance(0.1) ? 'near me ☕' : phrase(random, random.int(1, 3)).toLowerCase()}`,
        relevance,
        type: random.chance(0.1) ? 'ENTITY' : 'QUERY',
      };
    }),
    verbatim_relevance: 1300,
  };
}

/** The blocks of a generated text, for the boxes of web search and for overviews. */
function textBlocks(world: World, text: string, seedling: string, headings: boolean): object[] {
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
function references(
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
