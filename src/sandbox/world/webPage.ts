import { range, type World, type WorldQuery } from './World.ts';
import { dayAgo, phrase, prose, slug, titled } from './words.ts';

const perPage = 10;

/** The position of a query's page among all its results. Pages past the end are empty. */
export function stretchOf(
  world: World,
  kind: string,
  query: WorldQuery,
  size: number = perPage,
  maxPages = 5,
): { from: number; to: number; page: number; pages: number } {
  const pages = world.endless ? Infinity : world.random('pages', kind, query['query']).int(2, maxPages);
  const page = Number(query['page'] ?? 0);
  // the last page is short
  const total = pages * size - (pages === Infinity ? 0 : world.random('rest', kind, query['query']).int(1, size - 1));
  return { from: Math.min(total, page * size), to: Math.min(total, (page + 1) * size), page, pages };
}

/** Links to the other pages, by number from 1. */
export function pageNumbers(path: string, query: WorldQuery, page: number, pages: number): { [number: string]: string } {
  const numbers: { [number: string]: string } = {};
  const first = Math.max(1, page - 3);
  for (let number = first; number <= Math.min(pages, first + 9); number++) {
    if (number !== page + 1)
      numbers[number] = `https://www.engine.example${path}?q=${encodeURIComponent(String(query['query']))}&start=${(number - 1) * perPage}`;
  }
  return numbers;
}

/** A site for examples that follow a rank. Its rank changes from day to day, and differs by query, location and device. */
export const followedSite = 'acme.example';

/** The rank of that site in a search, from 1. It may be after the last result. */
function followedRank(world: World, device: string, query: WorldQuery): number {
  const text = String(query['query']).toLowerCase();
  const usual = Math.ceil(30 * world.random('own site', text).next() ** 2);
  const here = world.random('own site at', text, device, query['location'], query['country']).int(-4, 4);
  const moved = world.moved('own site on', text, -2, 2);
  return Math.max(1, usual + here + moved);
}

/** Results of web search. Between devices, only the rank of the followed site differs. */
export function webResults(
  world: World,
  device: string,
  query: WorldQuery,
  { from, to }: { readonly from: number; readonly to: number },
): object[] {
  const rank = followedRank(world, device, query);
  return range(from, to).map((index) => webResult(world, String(query['query']), index, index + 1 === rank));
}

function webResult(world: World, text: string, index: number, isFollowed: boolean): object {
  const random = world.random('organic', text.toLowerCase(), index);
  const own = `${slug(phrase(random, 1))}-${random.digits(2)}.example`;
  const host = isFollowed ? `www.${followedSite}` : own;
  const title = `${titled(text)} – ${phrase(random, random.int(2, 5))}`;
  return {
    title: random.chance(0.08) ? `=1+1 ${title}` : title,
    displayed_link: `${host} › ${slug(text)}`,
    snippet: prose(random, 10, 24),
    date: random.chance(0.6) ? '' : dayAgo(random.int(1, 900)),
    missing: random.chance(0.85) ? [] : [text.split(' ')[0] ?? text],
    link: `https://${host}/${slug(title)}`,
    favicon: `https://${host}/favicon.ico`,
    rank: index + 1,
    page_rank: (index % perPage) + 1,
  };
}
