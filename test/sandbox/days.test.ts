import { describe, expect, it } from 'vitest';
import { mapsReviewsData } from '../../src/sandbox/responses/mapsData.ts';
import { jobSearchData } from '../../src/sandbox/responses/marketData.ts';
import { newsSearchData } from '../../src/sandbox/responses/mediaData.ts';
import { World } from '../../src/sandbox/world/World.ts';

interface Review {
  readonly review_id: string;
  readonly iso_date: string;
  readonly iso_date_of_last_edit: string;
  readonly snippet: string;
  readonly response: { readonly iso_date: string };
}

const worldOn = (day: number): World => new World({ seed: 'trawler', now: () => 0, day });
const places = Array.from({ length: 400 }, (_, index) => `place ${index}`);

const known = new Map<string, readonly Review[]>();

/** Every review of a place on a day, newest first. */
function reviewsOn(day: number, data_id: string): readonly Review[] {
  const key = `${day} ${data_id}`;
  if (!known.has(key)) known.set(key, madeOn(day, data_id));
  return known.get(key)!;
}

function madeOn(day: number, data_id: string): Review[] {
  const world = worldOn(day);
  const rows: Review[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const query = { data_id, results: 20, sort_by: 'newestFirst', ...(token === '' ? {} : { next_page_token: token }) };
    const data = mapsReviewsData(query, world) as { reviews_results: Review[]; next_page_token?: string };
    rows.push(...data.reviews_results);
    token = data.next_page_token;
  }
  return rows;
}

/** What happened to all places between two days. */
function between(
  earlier: number,
  later: number,
): { added: Review[]; edited: Review[]; answered: Review[]; removed: Review[]; other: number } {
  const changes = { added: [] as Review[], edited: [] as Review[], answered: [] as Review[], removed: [] as Review[], other: 0 };
  for (const place of places) {
    const before = new Map(reviewsOn(earlier, place).map((review) => [review.review_id, review]));
    for (const now of reviewsOn(later, place)) {
      const then = before.get(now.review_id);
      before.delete(now.review_id);
      if (then === undefined) changes.added.push(now);
      else if (then.snippet !== now.snippet) changes.edited.push(now);
      else if (then.response.iso_date !== now.response.iso_date) changes.answered.push(now);
      else if (JSON.stringify(then) !== JSON.stringify(now)) changes.other++;
    }
    changes.removed.push(...before.values());
  }
  return changes;
}

describe('the days of the sandbox', () => {
  it('add, edit, answer and remove reviews, and leave all others as they were', () => {
    const { added, edited, answered, removed, other } = between(6, 7);
    expect(added.length).toBeGreaterThan(60);
    expect(added.length).toBeLessThan(200);
    expect(edited.length).toBeGreaterThan(5);
    expect(answered.length).toBeGreaterThan(5);
    expect(removed.length).toBeGreaterThan(0);
    expect(other).toBe(0);
  });

  it('touch only reviews of the last week, by their date', () => {
    const newest = Math.max(...places.flatMap((place) => reviewsOn(7, place).map((review) => Date.parse(review.iso_date))));
    const { added, edited, answered, removed } = between(6, 7);
    for (const { iso_date } of [...added, ...edited, ...answered, ...removed])
      expect(newest - Date.parse(iso_date)).toBeLessThan(7 * 86_400_000);
    for (const { iso_date, iso_date_of_last_edit } of edited) expect(iso_date_of_last_edit > iso_date).toBe(true);
  });

  it('let some reviews appear late, dated before the day they appear', () => {
    const latestBefore = new Map(places.map((place) => [place, reviewsOn(6, place)[0]?.iso_date ?? '']));
    const late = places.flatMap((place) => {
      const known = new Set(reviewsOn(6, place).map((review) => review.review_id));
      return reviewsOn(7, place).filter((review) => !known.has(review.review_id) && review.iso_date < latestBefore.get(place)!);
    });
    expect(late.length).toBeGreaterThan(0);
  });

  it('are the same whenever they are looked at, and day 0 is the world as it began', () => {
    expect(madeOn(5, 'place 3')).toEqual(madeOn(5, 'place 3'));
    expect(reviewsOn(0, 'place 3').every((review) => review.iso_date <= '2026-05-01')).toBe(true);
  });

  it('bring jobs and articles, and take as many of the oldest', () => {
    const jobsOn = (day: number): string[] =>
      (jobSearchData({ query: 'nurse' }, worldOn(day)) as { jobs_results: { job_id: string }[] }).jobs_results.map(({ job_id }) => job_id);
    const newsOn = (day: number): { link: string }[] =>
      (newsSearchData({ query: 'tea' }, worldOn(day)) as { news_results: { link: string; rank?: number }[] }).news_results;
    const opened = jobsOn(4).findIndex((id) => id === jobsOn(0)[0]);
    expect(opened).toBeGreaterThan(0);
    expect(jobsOn(4).slice(opened)).toEqual(jobsOn(0).slice(0, -opened));
    expect(newsOn(3)).toHaveLength(newsOn(0).length);
    const known = new Set(newsOn(0).map(({ link }) => link));
    const fresh = newsOn(3).filter(({ link }) => !known.has(link));
    expect(fresh.length).toBeGreaterThan(0);
    expect(newsOn(3).slice(0, fresh.length)).toEqual(fresh);
  });

  it('move prices, which stay near those of the first day', () => {
    const rates = [...Array(100).keys()].map((day) => worldOn(day).priceToday('kettle'));
    expect(rates[0]).toBe(1);
    expect(new Set(rates).size).toBeGreaterThan(10);
    for (const rate of rates) expect(Math.abs(rate - 1)).toBeLessThanOrEqual(0.1001);
  });

  it('keep the order by date and each id once', () => {
    for (const place of places.slice(0, 50)) {
      const rows = reviewsOn(30, place);
      expect(new Set(rows.map((row) => row.review_id)).size).toBe(rows.length);
      const dates = rows.map((row) => row.iso_date);
      expect(dates).toEqual(dates.toSorted().toReversed());
    }
  });
});
