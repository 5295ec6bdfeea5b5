import { range, type World, type WorldQuery } from '../world/World.ts';
import { citations, scholar, scholarsOf, versions, type Work, work } from '../world/work.ts';
import { phrase, prose } from '../world/words.ts';

const base = 'https://scholar.engine.example';
const maxPerPage = 20;
/** The most works that one search returns. */
const cap = 1000;

/** E18: works on a subject, works that cite one, or versions of one, at most twenty a page. */
export function scholarSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const subject =
    query['cites'] !== undefined ? `cites ${query['cites']}` : query['cluster'] !== undefined ? `cluster ${query['cluster']}` : text;
  const listed = works(world, query, subject);
  const size = Math.min(maxPerPage, Number(query['results'] ?? 10));
  const page = Number(query['page'] ?? 0);
  const pages = world.endless ? page + 2 : Math.max(1, Math.ceil(Math.min(cap, listed.length) / size));
  const here = world.endless
    ? range(page * size, (page + 1) * size).map((index) => workOn(world, subject, index))
    : listed.slice(page * size, Math.min(cap, (page + 1) * size));
  const random = world.random('scholar search', subject);
  const link = (number: number): string => `${base}/scholar?q=${encodeURIComponent(text)}&start=${(number - 1) * size}`;
  return {
    search_details: { query: text, number_of_results: listed.length === 0 ? '' : `About ${listed.length} results` },
    profiles: page === 0 && random.chance(0.4) ? profiles(world, text) : {},
    scholar_results: here.map((each) => result(world, each, subject)),
    related_searches:
      page > 0
        ? []
        : range(0, random.int(0, 5)).map(() => {
            const title = `${text} ${phrase(random, 1).toLowerCase()}`;
            return { title, link: `${base}/scholar?q=${encodeURIComponent(title)}` };
          }),
    pagination: {
      current: page + 1,
      page_no: Object.fromEntries(
        range(1, Math.min(pages, page + 10) + 1)
          .filter((number) => number !== page + 1)
          .map((number) => [number, link(number)]),
      ),
    },
  };
}

function works(world: World, query: WorldQuery, subject: string): Work[] {
  const count =
    query['cites'] !== undefined
      ? citations(world, String(query['cites']))
      : query['cluster'] !== undefined
        ? versions(world, String(query['cluster']))
        : (world.works ?? world.random('works', subject).int(8, 68));
  const [first, last] = [Number(query['as_ylo'] ?? 0), Number(query['as_yhi'] ?? Infinity)];
  return worksOn(world, subject, count).filter(({ id, year }) => year >= first && year <= last && isAsked(world, id, query));
}

/** Whether a work passes the filters of a query: a review, with an abstract, no mere citation, no patent. */
function isAsked(world: World, id: string, query: WorldQuery): boolean {
  if (['as_rr', 'scisbd', 'as_vis', 'as_sdt'].every((param) => query[param] === undefined)) return true;
  const random = world.random('kind of work', id);
  const [review, abstract, citation, patent] = [random.chance(0.3), random.chance(0.8), random.chance(0.1), random.chance(0.1)];
  if (query['as_rr'] === '1' && !review) return false;
  if (query['scisbd'] === '1' && !abstract) return false;
  if (query['as_vis'] === '1' && citation) return false;
  return query['as_sdt'] === undefined || query['as_sdt'] === '7' || !patent;
}

/** The works of each world's last topic, because a walk needs the same ones again and again. */
const lastWorks = new WeakMap<World, { readonly subject: string; readonly works: readonly Work[] }>();

function worksOn(world: World, subject: string, count: number): readonly Work[] {
  const last = lastWorks.get(world);
  if (last?.subject === subject && last.works.length === count) return last.works;
  const made = range(0, count).map((index) => workOn(world, subject, index));
  lastWorks.set(world, { subject, works: made });
  return made;
}

function workOn(world: World, subject: string, index: number): Work {
  return work(world, world.random('work on', subject.toLowerCase(), index).key(12));
}

function profiles(world: World, text: string): object {
  const authors = scholarsOf(world, text, 2).map((id) => scholar(world, id));
  return { title: `User profiles for ${text}`, authors: authors.map(({ id, name }) => ({ name, author_id: id, link: authorLink(id) })) };
}

function authorLink(id: string): string {
  return `${base}/citations?user=${id}&hl=en`;
}

function result(world: World, { id, title, year, journal, citesId, clusterId, abstract }: Work, subject: string): object {
  const random = world.random('scholar result', id);
  const cited = citations(world, citesId);
  const type = random.chance(0.4) ? random.pick(['[PDF]', '[HTML]', '[BOOK]']) : undefined;
  const host = `${random.key(6).toLowerCase().replaceAll(/[-_]/g, 'x')}.example`;
  const authors = random.chance(0.2) ? [] : random.some(scholarsOf(world, subject, 9), 1, 3);
  return {
    title,
    title_link: `https://${host}/${id}`,
    id,
    ...(type === undefined ? {} : { type }),
    displayed_link: `${authors.length === 0 ? 'A Nonymous' : scholar(world, authors[0]!).name} - ${journal}, ${year} - ${host}`,
    snippet: random.chance(0.1) ? prose(random, 10, 20) : `… ${abstract.slice(0, 120)} …`,
    authors: authors.map((author) => ({ name: scholar(world, author).name, link: authorLink(author), author_id: author })),
    inline_links: {
      ...(random.chance(0.7)
        ? { versions: { total: versions(world, clusterId), link: `${base}/scholar?cluster=${clusterId}`, cluster_id: clusterId } }
        : {}),
      cited_by: { total: cited, link: cited === 0 ? '' : `${base}/scholar?cites=${citesId}&as_sdt=2005&hl=en` },
      related_pages_link: random.chance(0.1) ? '' : `${base}/scholar?q=related:${id}:`,
    },
    ...(type === '[PDF]' ? { resources: [{ title: host, type: 'PDF', link: `https://${host}/${id}.pdf` }] } : {}),
  };
}
