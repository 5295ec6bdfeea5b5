import { SandboxRefusal } from '../SandboxRefusal.ts';
import { cursor, range, type World, type WorldQuery } from '../world/World.ts';
import { placeOfDataId } from '../world/place.ts';

const names = ['All', 'Latest', 'Menu', 'By owner', 'Food & drink', 'Vibe', 'Street View & 360°'] as const;

/** E16: photos of a place, twenty a page, all of them or those of one category. */
export function mapsPhotosData(query: WorldQuery, world: World): object {
  const { placeId } = placeOfDataId(world, String(query['data_id']));
  const random = world.random('photos', placeId);
  const categories = random
    .some(names, 1, names.length)
    .map((name) => ({ name, id: `CgI${world.random('category', placeId, name).key(9)}==` }));
  const category = query['category_id'];
  if (category !== undefined && categories.every(({ id }) => id !== category)) {
    throw new SandboxRefusal(400, `category_id: '${category}' is not a category of this place`);
  }
  const all = random.chance(0.1) ? 0 : random.int(1, 70);
  const total = category === undefined ? all : Math.min(all, world.random('photos', placeId, category).int(1, 25));
  const { from, to, next } = cursor(world, 'mapsPhotos', query, 'next_page_token', total, 20);
  return {
    categories,
    photos: range(from, to).map((index) => {
      const image = `https://photos.engine.example/${world.random('photo', placeId, category, index).key(24)}`;
      return { thumbnail: `${image}=w203-h100-k-no`, image: `${image}=w1600` };
    }),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}
