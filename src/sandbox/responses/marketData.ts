import { cursor, range, type World, type WorldQuery } from '../world/World.ts';
import { ago, phrase, prose, sentence, slug, titled, dayAgo } from '../world/words.ts';
import type { Random } from '../world/Random.ts';

const kinds = ['Full-time', 'Part-time', 'Contractor', 'Internship'] as const;

/** Jobs, ten a page, and filters whose `chips` narrow the search. On some days a new one comes first, and the last one goes. */
export function jobSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const chip = query['chips'] === undefined ? '' : String(world.open('job chips', 'chips', String(query['chips']))[0]);
  const remote = query['ltype'] === '1';
  const within = query['lrad'] === undefined ? undefined : Number(query['lrad']);
  const total = world.random('jobs', text, chip, remote, ...(within === undefined ? [] : [within])).int(3, chip === '' ? 45 : 15);
  const opened = world.moved('jobs opened', text.toLowerCase(), 0, 1);
  const { from, to, next } = cursor(world, 'jobSearch', query, 'next_page_token', total, 10);
  return {
    filters: [{ name: 'Type', options: kinds.map((kind) => ({ text: kind, chips: world.seal('job chips', kind) })) }],
    jobs_results: range(from, to).map((index) => job(world, text, chip, remote, index - opened, within)),
    ...(next === undefined ? {} : { next_page_token: next }),
  };
}

function job(world: World, text: string, chip: string, remote: boolean, index: number, within: number | undefined): object {
  const random = world.random('job', text.toLowerCase(), chip, remote, index);
  const company = `${phrase(random, 1)} ${random.pick(['GmbH', 'Ltd.', '& Sons', 'Inc., LLC', 'الشركة'])}`;
  const kind = chip === '' ? random.pick(kinds) : chip;
  const posted = ago(random.int(0, 40));
  const id = random.key(40);
  return {
    title: `${titled(text)} (${random.pick(['m/f/d', 'senior', 'junior', '50 %'])})`,
    company_name: company,
    location: remote
      ? 'Anywhere'
      : random.pick(within === undefined ? ['Springfield', 'Zürich, Switzerland', 'São Paulo'] : ['Springfield']),
    via: random.pick(['Jobs Today', 'Workboard', '=via']),
    share_link: `https://www.engine.example/jobs?id=${id}`,
    thumbnail: random.chance(0.4) ? '' : `https://images.engine.example/logo/${random.key(10)}`,
    detected_extensions: {
      schedule_type: kind,
      ...(random.chance(0.6) ? { posted_at: posted } : {}),
      ...(remote ? { work_from_home: true } : {}),
    },
    description: range(0, random.int(3, 9))
      .map(() => (random.chance(0.3) ? `• ${prose(random, 8, 20)}` : sentence(random, 12, 30)))
      .join('\n'),
    job_highlights: random
      .some(['Qualifications', 'Responsibilities', 'Benefits'], 0, 3)
      .map((title) => ({ title, items: range(0, random.int(1, 4)).map(() => prose(random, 5, 14)) })),
    apply_options: range(0, random.int(1, 3)).map(() => {
      const title = phrase(random, 1);
      return { title, link: `https://${slug(title)}.example/apply/${random.digits(6)}` };
    }),
    job_id: id,
    extensions: [posted, kind],
  };
}

const markets = ['US', 'Europe', 'Asia', 'Currencies', 'Crypto', 'Futures'] as const;

/** A stock and the markets around it. An index has no extracted price. */
export function financeSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const random = world.random('finance', text.toUpperCase());
  const price = random.int(100, 90_000) / 100;
  const known = random.chance(0.8);
  const day = world.random('markets');
  return {
    markets: Object.fromEntries(markets.map((market) => [market, range(0, market === 'Futures' ? 0 : 4).map(() => quote(day))])),
    summary: {
      title: titled(text),
      stock: `${
        text
          .toUpperCase()
          .replaceAll(/[^A-Z]/g, '')
          .slice(0, 5) || 'XYZ'
      }:EXCH`,
      price: known ? `$${price.toFixed(2)}` : '',
      extracted_price: known ? price : null,
      price_movement: {
        percentage: known ? random.int(-500, 500) / 100 : null,
        value: random.int(-2000, 2000) / 100,
        movement: random.pick(['Up', 'Down']),
      },
      extensions: random.chance(0.5) ? [] : ['May 1, 9:30:00 AM UTC-04:00 · USD · EXCH · Disclaimer'],
    },
    graph: known
      ? range(0, 5).map((index) => ({ date: dayAgo(5 - index), price: Number((price * (0.95 + random.next() / 10)).toFixed(2)) }))
      : [],
    knowledge_graph: {
      key_stats: { tags: [{ text: 'Stock' }], stats: [{ label: 'P/E ratio', value: String(random.int(5, 60)) }] },
      about: [{ title: 'About', description: sentence(random, 15, 40) }],
    },
    market_news: [],
    financials: { quarterly: [], annually: [] },
    discover_more: ['You may be interested in', 'Most followed'].map((title) => ({ title, items: range(0, 3).map(() => suggestion(day)) })),
  };
}

function quote(random: Random): object {
  const change = random.int(-300, 300) / 100;
  return {
    stock: `${random.text('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 4)}:IDX`,
    link: `https://finance.engine.example/quote/${random.key(6)}`,
    name: phrase(random, 2),
    price: random.chance(0.1) ? '' : (random.int(100, 4_000_000) / 100).toLocaleString('en-US'),
    price_movement: { percentage: `${Math.abs(change).toFixed(2)}%`, value: change.toFixed(2), movement: change < 0 ? 'down' : 'up' },
  };
}

function suggestion(random: Random): object {
  const change = random.int(-300, 300) / 100;
  return {
    stock: `${random.text('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 4)}:EXCH`,
    name: phrase(random, 2),
    link: `https://finance.engine.example/quote/${random.key(6)}`,
    price: random.int(100, 90_000) / 100,
    price_movement: { percentage: Math.abs(change), movement: change < 0 ? 'down' : 'up' },
  };
}
