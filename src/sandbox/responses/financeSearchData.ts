import { range, type World, type WorldQuery } from '../world/World.ts';
import type { Random } from '../world/Random.ts';
import { dayAgo, phrase, sentence, titled } from '../world/words.ts';

const markets = ['US', 'Europe', 'Asia', 'Currencies', 'Crypto', 'Futures'] as const;

/** E11: a stock and the markets around it; an index has no extracted price. */
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
