import { range, type World, type WorldQuery } from '../world/World.ts';
import { citations, newCitations, scholar, scholarsOf, versions, type Work, work, type Scholar } from '../world/work.ts';
import { phrase, prose, dayAgo, personName, sentence } from '../world/words.ts';
import { SandboxRefusal } from '../SandboxRefusal.ts';
import type { Random } from '../world/Random.ts';

const base = 'https://scholar.engine.example';
const maxPerPage = 20;
/** The most works that one search returns. */
const cap = 1000;

/** Works on a subject, works that cite one, or versions of one, at most twenty a page. */
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
  const listed = worksOn(world, subject, count);
  const old = query['cites'] === undefined ? count : count - newCitations(world, String(query['cites']));
  return [...listed.slice(old), ...listed.slice(0, old)].filter(
    ({ id, year }) => year >= first && year <= last && isWanted(world, id, query),
  );
}

/** Whether a work matches the filters of a query: for reviews, works with an abstract, no citations, no patents. */
function isWanted(world: World, id: string, query: WorldQuery): boolean {
  if (['as_rr', 'scisbd', 'as_vis', 'as_sdt'].every((param) => query[param] === undefined)) return true;
  const random = world.random('kind of work', id);
  const [review, abstract, citation, patent] = [random.chance(0.3), random.chance(0.8), random.chance(0.1), random.chance(0.1)];
  if (query['as_rr'] === '1' && !review) return false;
  if (query['scisbd'] === '1' && !abstract) return false;
  if (query['as_vis'] === '1' && citation) return false;
  return query['as_sdt'] === undefined || query['as_sdt'] === '7' || !patent;
}

/** The works of the last topic of each world, because each page of a walk needs them again. */
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

const maxArticles = 100;

/** An author with at most a hundred articles, the co-authors, or the details of one article. */
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

const perPage = 10;

/** Authors by name or institution, ten a page, with tokens for the next and the previous page, null at the ends. */
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

/** A patent. Every id is one of a patent. */
export function patentDetailsData(query: WorldQuery, world: World): object {
  const id = String(query['patent_id']);
  const given = /[A-Z]{2}\d+[A-Z]?\d?/.exec(id)?.[0]; // in `patent/US10123456B2/en`, too
  const random = world.random('patent', given ?? id);
  const number = given ?? `US${random.digits(8)}B2`;
  const country = number.slice(0, 2);
  const filed = random.int(1500, 9000);
  const assignee = `${phrase(random, 1)} ${random.pick(['Inc.', 'Corp., "Research"', '株式会社', 'AG'])}`;
  return {
    title: `${phrase(random, 3)} and ${phrase(random, 2).toLowerCase()}`,
    type: 'patent',
    pdf: random.chance(0.1) ? '' : `https://patents.engine.example/${number}.pdf`,
    publication_number: number,
    country: { US: 'United States', EP: 'European Patent Office', JP: 'Japan' }[country] ?? country,
    application_number: `${country}${random.digits(8)}A`,
    prior_art_keywords: range(0, random.int(0, 6)).map(() => phrase(random, 1).toLowerCase()),
    prior_art_date: dayAgo(filed + 400),
    priority_date: dayAgo(filed + 400),
    filing_date: dayAgo(filed),
    publication_date: dayAgo(filed - 700),
    inventors: range(0, random.int(1, 4)).map(() => {
      const name = personName(random);
      return { name, link: `https://patents.engine.example/?inventor=${encodeURIComponent(name)}` };
    }),
    assignees: random.chance(0.1) ? [] : [assignee],
    worldwide_applications: worldwide(random, filed),
    events: events(random, filed, assignee),
    external_links: [
      { text: 'USPTO', link: `https://uspto.example/${number}` },
      { text: 'Espacenet', link: `https://espacenet.example/${number}` },
    ],
    images: range(0, random.int(0, 4)).map((index) => `https://images.engine.example/patent/${number}/D0000${index}.png`),
    classifications: classifications(random),
    abstract: random.chance(0.1) ? '' : `${prose(random, 12, 20)}\n${sentence(random, 15, 40)}`,
    patent_citations: citedPatents(world, number),
  };
}

/** The patents that a patent cites: some that many others cite too, and some that only this one cites. */
function citedPatents(world: World, id: string): object[] {
  const random = world.random('patent citations', id);
  const numbers = range(0, random.int(2, 6)).map((index) =>
    world.random('cited patent', random.chance(0.4) ? random.int(1, 9) : `${id} ${index}`).digits(8),
  );
  return [...new Set(numbers)].map((digits) => ({ patent_id: `patent/US${digits}B2/en`, publication_number: `US${digits}B2` }));
}

function worldwide(random: Random, filed: number): object {
  const byYear: { [year: string]: object[] } = {};
  for (const code of random.some(['US', 'EP', 'JP', 'CN', 'WO'], 1, 5)) {
    const date = dayAgo(filed - random.int(0, 1000));
    const application = `${code}${random.digits(8)}A`;
    const [category, status] = random.pick([
      ['active', 'Active'],
      ['not_active', 'Expired - Lifetime'],
      ['not_active', 'Ceased'],
    ]);
    (byYear[date.slice(0, 4)] ??= []).push({
      filing_date: date,
      country_code: code,
      application_number: application,
      document_id: `patent/${application}/en`,
      legal_status_cat: category,
      legal_status: status,
    });
  }
  return byYear;
}

function events(random: Random, filed: number, assignee: string): object[] {
  const document = { document_id: `patent/US${random.digits(8)}A1/en` };
  return [
    { date: dayAgo(filed + 400), title: 'Priority to US application', type: 'priority', critical: false, ...document },
    { date: dayAgo(filed), title: `Application filed by ${assignee}`, type: 'filed', critical: false, assignee_search: assignee },
    { date: dayAgo(filed - 700), title: 'Publication of US application', type: 'publication', critical: false, ...document },
    ...(random.chance(0.7) ? [{ date: dayAgo(filed - 1400), title: 'Application granted', type: 'granted', critical: true }] : []),
    { date: 'Status', title: random.pick(['Active', 'Expired - Fee Related']), type: 'legal-status', critical: true, current: true },
  ];
}

/** Classifications. Now and then the last one is repeated. */
function classifications(random: Random): object[] {
  const list = range(0, random.int(1, 5)).map((index) => ({
    code: `${random.text('ABCDEFGH', 1)}${random.digits(2)}${random.text('FGHN', 1)}${random.digits(2)}/00`,
    description: prose(random, 4, 10),
    leaf: index % 2 === 1,
    first_code: index === 0,
    is_cpc: true,
  }));
  return random.chance(0.3) ? [...list, list.at(-1)!] : list;
}
