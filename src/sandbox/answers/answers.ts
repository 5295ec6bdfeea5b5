import type { World, WorldQuery } from '../world/World.ts';
import { mapsPhotos } from './mapsPhotos.ts';
import { mapsPosts } from './mapsPosts.ts';
import { mapsReviews } from './mapsReviews.ts';
import { mapsSearch } from './mapsSearch.ts';

/** Gives the `data` of one operation's answer; throws a Refusal when it can't. */
export type Answerer = (query: WorldQuery, world: World) => object;

/** Who answers which operation. */
export const answers: { readonly [operation: string]: Answerer | undefined } = { mapsPhotos, mapsPosts, mapsReviews, mapsSearch };
