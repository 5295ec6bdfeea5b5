import { SandboxRefusal } from '../SandboxRefusal.ts';
import { range, type World, type WorldQuery } from '../world/World.ts';
import type { Random } from '../world/Random.ts';
import { instantAgo, personName, phrase, prose, slug, titled } from '../world/words.ts';

const topics = ['World', 'Business', 'Technology', 'Science & Health', 'Sport'] as const;

/**
 * E9: articles, story groups, and menus whose tokens lead to topics, sections and publications. The latest news are of the
 * last day, the newest first.
 */
export function newsSearchData(query: WorldQuery, world: World): object {
  const tokens = ['topic_token', 'section_token', 'publication_token'].map((param) => {
    const token = query[param];
    return token === undefined ? '' : String(world.open(param, param, String(token))[0]);
  });
  if (query['section_token'] !== undefined && tokens[0] === '' && tokens[2] === '') {
    throw new SandboxRefusal(400, 'section_token: it needs the topic_token or publication_token it came with');
  }
  const subject = [String(query['query']), ...tokens].join(' ').trim();
  const random = world.random('news', subject, query['country'], query['language']);
  const count = random.int(6, 18);
  const latest = tokens[1] === 'Latest';
  const articles = range(0, count).map((index) =>
    index % 5 === 3 && !latest
      ? {
          title: `${titled(subject)}: ${phrase(random, 4)}`,
          stories: range(0, random.int(2, 4)).map((rank) => article(random, subject, rank + 1, tokens[2])),
        }
      : article(random, subject, index + 1, tokens[2], latest ? 1 : 31),
  );
  return {
    menu_links: topics.map((title) => ({ title, topic_token: world.seal('topic_token', title) })),
    sub_menu_links:
      tokens[0] === '' ? [] : ['Latest', 'Opinion'].map((title) => ({ title, section_token: world.seal('section_token', title) })),
    publications: range(0, 3).map(() => {
      const title = `The ${phrase(random, 1)} Post`;
      return { title, publication_token: world.seal('publication_token', title) };
    }),
    news_results: latest ? newestFirst(articles as Article[]) : articles,
  };
}

interface Article {
  readonly date: string;
  readonly [field: string]: unknown;
}

function newestFirst(articles: readonly Article[]): object[] {
  return articles.toSorted((a, b) => Date.parse(b.date) - Date.parse(a.date)).map((each, index) => ({ ...each, rank: index + 1 }));
}

function article(random: Random, subject: string, rank: number, publication: string | undefined, days = 31): Article {
  const own = `The ${phrase(random, 1)} Times`;
  const source = publication === undefined || publication === '' ? own : publication;
  const title = random.chance(0.1) ? prose(random, 5, 9) : `${titled(subject)}: “${phrase(random, random.int(3, 7))}”`;
  return {
    title,
    link: `https://${slug(source)}.example/${slug(title)}`,
    thumbnail: random.chance(0.2) ? '' : `https://images.engine.example/news/${random.key(14)}`,
    source,
    icon: `https://${slug(source)}.example/icon.png`,
    authors: random.chance(0.3) ? [] : range(0, random.int(1, 2)).map(() => personName(random)),
    date: instantAgo(random.int(0, days - 1) + random.next()),
    rank,
  };
}
