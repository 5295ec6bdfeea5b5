import { references, textBlocks } from '../world/generated.ts';
import { placesNearby } from '../world/reviews.ts';
import { webResult, stretchOf } from '../world/webPage.ts';
import { range, type World, type WorldQuery } from '../world/World.ts';
import { dayAgo, phrase, prose, shortCount, slug, titled } from '../world/words.ts';
import { priceOf, productToken } from './immersiveProductData.ts';

/** E1: results, with boxes on the first page. Seven queries of eight have an overview that soon expires. */
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
    organic_results: range(from, to).map((index) => webResult(world, text, index)),
    ...(first ? { immersive_products: products(world, text) } : {}),
    ...(first && random.chance(7 / 8) ? { ai_overview_url: overviewUrl(world, text) } : {}),
  };
}

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
