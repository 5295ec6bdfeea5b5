import { cursor, range, type World, type WorldQuery } from '../world/World.ts';
import { placeOfDataId } from '../world/place.ts';
import { ago, prose } from '../world/words.ts';

/** E17: posts of a business, ten a page. The token of the last page is empty or null. */
export function mapsPostsData(query: WorldQuery, world: World): object {
  const place = placeOfDataId(world, String(query['data_id']));
  const random = world.random('posts', place.placeId);
  const total = random.chance(0.25) ? 0 : random.int(1, 28);
  const { from, to, next } = cursor(world, 'mapsPosts', query, 'next_page_token', total, 10);
  return {
    location_details: { name: place.title, logo: random.chance(0.2) ? '' : `https://photos.engine.example/logo/${random.key(12)}` },
    post_data: range(from, to).map((index) => {
      const post = world.random('post', place.placeId, index);
      return {
        description: prose(post, 10, 40),
        date: ago(index * 9 + post.int(0, 8)),
        ...(post.chance(0.6) ? { image: `https://photos.engine.example/post/${post.key(16)}` } : {}),
        link: `https://maps.engine.example/posts/${post.key(22)}`,
      };
    }),
    next_page_token: next ?? (random.chance(0.5) ? '' : null),
  };
}
