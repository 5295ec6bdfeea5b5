import { range, type World, type WorldQuery } from '../world/World.ts';
import { placesNearby } from '../world/reviews.ts';
import { webResult, pageNumbers, stretchOf } from '../world/webPage.ts';
import { phrase, shortCount } from '../world/words.ts';

/** E2: the results of web search, with less around them. */
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
    organic_results: range(from, to).map((index) => webResult(world, text, index)),
    relatedSearches: range(0, random.int(0, 8)).map(() => {
      const related = `${text} ${phrase(random, 1).toLowerCase()}`;
      return { query: related, link: link(related) };
    }),
    pagination: { page_no: pageNumbers('/search', query, page, pages) },
  };
}
