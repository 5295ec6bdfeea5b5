import { SandboxRefusal } from '../SandboxRefusal.ts';
import { range, type World, type WorldQuery } from '../world/World.ts';
import { citations, scholar, type Scholar, scholarsOf, work } from '../world/work.ts';
import { dayAgo } from '../world/words.ts';

const base = 'https://scholar.engine.example';
const maxArticles = 100;

/** E19: an author with at most a hundred articles, the co-authors, or the details of one article. */
export function scholarAuthorData(query: WorldQuery, world: World): object {
  const person = scholar(world, String(query['author_id']));
  if (query['view_op'] === 'view_citation') return { citation: citation(world, person, String(query['citation_id'])) };
  const random = world.random('profile', person.id);
  const profile = {
    author: {
      name: person.name,
      affiliations: person.affiliations,
      email: person.email,
      thumbnail: `https://images.engine.example/scholar/${person.id}`,
      interests: person.interests.map((title) => ({ title, link: `${base}/citations?mauthors=label:${encodeURIComponent(title)}` })),
    },
    co_authors: random.chance(0.3) ? [] : scholarsOf(world, `with ${person.id}`, random.int(1, 8)).map((id) => coAuthor(world, id)),
  };
  if (query['view_op'] === 'list_colleagues') return profile;
  const total = random.chance(0.05) ? 0 : random.int(1, 60);
  const articles = range(0, total).map((index) => work(world, world.random('article', person.id, index).key(12)));
  if (query['sort'] === 'title') articles.sort((a, b) => (a.title < b.title ? -1 : 1));
  if (query['sort'] === 'pubdate') articles.sort((a, b) => b.year - a.year);
  const all = person.citations;
  const size = Math.min(maxArticles, Number(query['results'] ?? 20));
  return {
    ...profile,
    articles: articles.slice(0, size).map(({ id, title, journal, year, citesId }) => {
      const cited = citations(world, citesId);
      return {
        title,
        link: `${base}/citations?view_op=view_citation&citation_for_view=${person.id}:${id}`,
        citation_id: `${person.id}:${id}`,
        authors: `${initials(person)}, ${initials(scholar(world, `${id}AJ`))}`,
        publication: world.random('no journal', id).chance(0.15) ? '' : `${journal} ${year % 40}`,
        year: String(year),
        cited_by: {
          value: cited === 0 ? '' : String(cited),
          link: cited === 0 ? '' : `${base}/scholar?cites=${citesId}`,
          citation_id: cited === 0 ? '' : cited % 5 === 0 ? `${citesId},${world.random('twin', citesId).digits(19)}` : citesId,
        },
      };
    }),
    cited_by: {
      table: [
        { citations: { all, since_2021: all >> 1 } },
        { h_index: { all: Math.floor(Math.sqrt(all / 3)), since_2021: Math.floor(Math.sqrt(all / 6)) } },
        { i10_index: { all: all >> 7, since_2021: all >> 8 } },
      ],
      graph: range(2020, 2027).map((year) => ({ year: String(year), citations: String(random.int(0, Math.ceil(all / 8))) })),
    },
    public_access: {
      link: `${base}/citations?view_op=list_mandates&user=${person.id}`,
      available: `${random.int(0, 30)} articles`,
      not_available: `${random.int(0, 5)} articles`,
    },
    pagination: total > size ? { next: `${base}/citations?user=${person.id}&cstart=${size}` } : {},
  };
}

function initials({ name }: Scholar): string {
  const [first = '', ...rest] = name.split(' ');
  return `${first[0]} ${rest.join(' ')}`;
}

function coAuthor(world: World, id: string): object {
  const { name, affiliations, email } = scholar(world, id);
  return { name, author_id: id, link: `${base}/citations?user=${id}`, affiliations, email };
}

function citation(world: World, person: Scholar, citationId: string): object {
  if (!citationId.startsWith(`${person.id}:`))
    throw new SandboxRefusal(400, `citation_id: '${citationId}' is not an article of ${person.id}`);
  const { title, year, journal, abstract, citesId, id } = work(world, citationId.slice(person.id.length + 1));
  return {
    title,
    link: `https://${id.toLowerCase().replaceAll(/[-_]/g, 'x')}.example/`,
    authors: [person.name, scholar(world, `${id}AJ`).name],
    publication_date: `${year}/${dayAgo(year % 300)
      .slice(5)
      .replace('-', '/')}`,
    journal,
    description: abstract,
    total_citations: { cited_by: { total: citations(world, citesId), link: `${base}/scholar?cites=${citesId}`, cites_id: citesId } },
  };
}
