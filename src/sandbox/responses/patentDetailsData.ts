import { range, type World, type WorldQuery } from '../world/World.ts';
import type { Random } from '../world/Random.ts';
import { dayAgo, personName, phrase, prose, sentence } from '../world/words.ts';

/** E21: a patent. Any id is one. */
export function patentDetailsData(query: WorldQuery, world: World): object {
  const id = String(query['patent_id']);
  const random = world.random('patent', id);
  const number = /[A-Z]{2}\d+[A-Z]?\d?/.exec(id)?.[0] ?? `US${random.digits(8)}B2`;
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
  };
}

function worldwide(random: Random, filed: number): object {
  const byYear: { [year: string]: object[] } = {};
  for (const code of random.some(['US', 'EP', 'JP', 'CN', 'WO'], 1, 5)) {
    const date = dayAgo(filed - random.int(0, 1000));
    const application = `${code}${random.digits(8)}A`;
    const [category, status] = random.pick([['active', 'Active'], ['not_active', 'Expired - Lifetime'], ['not_active', 'Ceased']]); // prettier-ignore
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

/** The last one is repeated now and then. */
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
