import { range, type World, type WorldQuery } from '../world/World.ts';
import { phrase } from '../world/words.ts';

/** E4: up to ten suggestions that begin with the text, the most relevant first. */
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
