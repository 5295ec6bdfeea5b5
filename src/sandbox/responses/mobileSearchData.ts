import { range, type World, type WorldQuery } from '../world/World.ts';
import { placesNearby } from '../world/reviews.ts';
import { webResult, stretchOf } from '../world/webPage.ts';
import { shortCount, slug } from '../world/words.ts';

/** E3: results for a phone. The last local one may be a link to more. */
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
    organic_results: range(from, to).map((index) => webResult(world, text, index)),
  };
}
