import { SandboxRefusal } from '../SandboxRefusal.ts';
import { range, type World, type WorldQuery } from '../world/World.ts';
import { scholar, scholarsOf } from '../world/work.ts';

const perPage = 10;

/** E20: authors by name or institution, ten a page, with tokens for the next and the previous page, null at the ends. */
export function scholarProfilesData(query: WorldQuery, world: World): object {
  const who = String(query['mauthors']);
  const [after, before] = [query['after_author'], query['before_author']];
  if (after !== undefined && before !== undefined) throw new SandboxRefusal(400, 'after_author, before_author: give one of them');
  const total = world.endless ? Infinity : world.random('profiles', who.toLowerCase()).int(3, 38);
  const from =
    after !== undefined
      ? position(world, who, 'after_author', after)
      : before !== undefined
        ? position(world, who, 'before_author', before) - perPage
        : 0;
  const to = Math.min(total, from + perPage);
  const ids = scholarsOf(world, who, to).slice(from);
  return {
    profiles: range(0, ids.length).map((index) => {
      const person = scholar(world, ids[index]!);
      return {
        title: person.name,
        link: `https://scholar.engine.example/citations?user=${person.id}`,
        author_id: person.id,
        affiliations: person.affiliations,
        email: person.email,
        cited_by: person.citations,
        thumbnail: `https://images.engine.example/scholar/${person.id}`,
        interests: person.interests.map((title) => ({
          title,
          link: `https://scholar.engine.example/citations?mauthors=label:${encodeURIComponent(title)}`,
        })),
      };
    }),
    pagination: {
      next_page_token: to < total ? world.seal('profiles', who, to) : null,
      previous_page_token: from > 0 ? world.seal('profiles', who, from) : null,
    },
  };
}

/** The position of a token in the list: the first author after it, or the first one that it precedes. */
function position(world: World, who: string, param: string, token: WorldQuery[string]): number {
  const [owner, at] = world.open('profiles', param, String(token));
  if (owner !== who) throw new SandboxRefusal(400, `${param}: this token belongs to another query`);
  return Number(at);
}
