import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { byDates, items, splitWhenFull, type ByDatesOptions, type PageFactory, type PageLike } from '../../operators/index.ts';
import { checkFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { byText, startApi, type ApiQuery, type ApiRow } from './startApi.ts';

const day = 86_400_000;
const now = Date.now();
/** The day on which the rows begin. */
const first = new Date(now - 210 * day).toISOString().slice(0, 10);

interface Way {
  readonly as: NonNullable<ByDatesOptions['as']>;
  readonly upper?: 'excluded';
  /** The service returns only so many rows of a query. */
  readonly cap?: number;
  /** The number of days that it takes at most, if it isn't what the flow says. */
  readonly takes?: number;
}
const ways: { readonly [name: string]: Way } = {
  'as dates with time': { as: 'dateTime' },
  'as days': { as: 'date' },
  'as seconds, the upper one excluded': { as: 'seconds', upper: 'excluded' },
  'as milliseconds': { as: 'ms' },
  'as days, and returns only forty rows': { as: 'date', cap: 40 },
  'as dates with time, and for a week at most': { as: 'dateTime', takes: 7 },
};

/** Three rows a day, and many on some days. */
const all: readonly ApiRow[] = Array.from({ length: 210 }, (_, number) =>
  Array.from({ length: number % 40 === 5 ? 25 : 3 }, (_, index) => ({
    id: `r${number}-${index}`,
    created_at: new Date(Date.parse(first) + number * day + index * 3_400_123).toISOString(),
  })),
).flat();
const timeOf = ({ created_at }: ApiRow): number => Date.parse(String(created_at));
const page = 20;
const describedWith = (type: 'string' | 'integer') => ({
  params: { from: { type }, to: { type }, offset: { type: 'integer' } },
  response: { rows: [{ id: 'string', created_at: 'string' }], total: 'integer' },
  list: 'rows',
  id: 'id',
  since: { field: 'created_at', lookback: '1d' },
  paging: { kind: 'offset', param: 'offset', step: page, total: 'total' },
});
const described = describedWith('string');

/** The rows that are there on a day, for queries with both bounds that aren't too far apart. */
class World {
  readonly way: Way;
  today = 0;
  /** An update asks for nothing before this time. */
  due = 0;

  constructor(way: Way) {
    this.way = way;
  }

  get rows(): readonly ApiRow[] {
    return all.filter((row) => timeOf(row) < now - (11 - this.today) * day);
  }

  respond({ from, to, offset = '0' }: ApiQuery): object | string {
    const { as, upper, cap = Infinity, takes = 31 } = this.way;
    if (from === undefined || to === undefined) return 'from and to are required';
    const read = (text: string): number => (as === 'seconds' ? Number(text) * 1000 : as === 'ms' ? Number(text) : Date.parse(text));
    const [begin, end] = [read(from), as === 'date' ? read(to) + day : upper === 'excluded' ? read(to) : read(to) + 1];
    if (end - begin > takes * day + 1) return `from and to are more than ${takes} days apart`;
    if (begin < this.due) return `an update asks from ${from}`;
    const found = this.rows.filter((row) => timeOf(row) >= begin && timeOf(row) < end).slice(0, cap);
    return { rows: found.slice(Number(offset), Number(offset) + page), total: found.length };
  }
}

const idsOf = (rows: readonly ApiRow[]): string[] => rows.map(({ id }) => String(id)).toSorted(byText);

describe.each(ofTheDay(Object.entries(ways), 1))('a service that needs bounds, %s', (name, way) => {
  const slug = name.replaceAll(/\W+/g, '-');
  const { as, upper, cap } = way;
  const described = describedWith(as === 'seconds' || as === 'ms' ? 'integer' : 'string');
  const bounds = { from: first, to: 'now', most: '31d', as, upper } as const;

  it('has every row once in a flow, and after four days of updates, one of them killed, which ask for the last days only', async () => {
    const world = new World(way);
    await using api = await startApi(`bounds-${slug}`, described, (query) => world.respond(query));
    const stage = { split: { by: 'dates', params: ['from', 'to'], ...bounds, full: cap }, since: {} };
    expect(await api.run(stage)).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    for (let number = 1; number <= 4; number++) {
      world.due = Math.max(...world.rows.map(timeOf)) - 2 * day - 1;
      world.today = number;
      if (number === 2) await api.kill(stage, 1, '--update');
      api.requests.length = 0;
      const { code } = await api.run(stage, '--update');
      expect(code).toBe(0);
      expect(api.requests.length).toBeLessThan(12);
      expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    }
  });

  it('gives a pipe every row once', async () => {
    const world = new World(way);
    await using api = await startApi(`bounds-pipe-${slug}`, described, (query) => world.respond(query));
    const service = defineService({ name: 'shop', operations: { rows: defineOperation({ get: '/rows', ...described } as never) } });
    await using client = createClient({ service, baseUrl: api.url, rate: 'unlimited' });
    const rows = (client as unknown as { readonly rows: PageFactory<object, PageLike> }).rows;
    const split = byDates({ params: ['from', 'to'], ...bounds });
    const found = await lastValueFrom(of({}).pipe(splitWhenFull(rows, { split, full: cap }), items(), toArray()));
    expect(idsOf(found as ApiRow[])).toEqual(idsOf(world.rows));
  });
});

describe('a stage whose service needs bounds', () => {
  const split = { by: 'dates', params: ['from', 'to'], from: first, to: 'now', as: 'dateTime' };

  it('halves what is refused as too large, without a word about how large it may be', async () => {
    const world = new World({ as: 'dateTime', takes: 60 });
    await using api = await startApi('bounds-halved', described, (query) => world.respond(query));
    expect(await api.run({ split: { ...split, required: true } })).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    expect(api.requests.length).toBeLessThan(60);
  });

  it('leaves bounds that are required parameters to the split', async () => {
    const params = { ...described.params, from: { type: 'string', required: true }, to: { type: 'string', required: true } };
    const world = new World({ as: 'dateTime' });
    await using api = await startApi('bounds-required', { ...described, params }, (query) => world.respond(query));
    const refused = await api.run({ split: { ...split, full: 1000 } });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('from is required. With "required": true, each query has both bounds'),
    ]);
    expect(await api.run({ split: { ...split, required: true, most: '31d' } })).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
  });

  it('stops soon if everything is refused', async () => {
    await using api = await startApi('bounds-refused', described, () => 'no such day');
    const { code, stderr } = await api.run({ split: { ...split, most: '31d' } });
    expect([code, stderr]).toEqual([130, expect.stringContaining('Nothing has come')]);
    // all pieces, down to single days, would be 440
    expect(api.requests.length).toBeLessThan(150);
  });

  it('walks only the piece that failed once more, of which the next update requests all', async () => {
    const world = new World({ as: 'dateTime' });
    let isDown = true;
    await using api = await startApi('bounds-failed', described, (query) =>
      isDown && query['offset'] === '20' ? 'the service is down' : world.respond(query),
    );
    const stage = { split: { ...split, most: '31d' }, since: {} };
    expect((await api.run(stage)).code).toBe(1);
    isDown = false;
    expect((await api.run(stage, '--failures')).code).toBe(0);
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    world.due = Math.max(...world.rows.map(timeOf)) - 2 * day - 1;
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
  });

  const service = defineService({ name: 'shop', operations: { rows: defineOperation({ get: '/rows', ...described } as never) } });
  it.each([
    [{ most: '31 days' }, 'split.most: "31 days" can\'t stand here: a number of days or weeks such as'],
    [{ mots: '31d' }, "split.mots: 'mots' is not a key of split; did you mean 'most'?"],
    [{ requird: true }, "split.requird: 'requird' is not a key of split; did you mean 'required'?"],
    [{ most: '31d', required: false }, 'split.required: with most, no query is sent without bounds'],
    [{ most: '31d', by: 'range', from: 1, to: 2 }, "split.most: 'most' is about dates"],
    [{ most: '31d', to: 'today' }, "split: byDates: to must be a day such as 2020-01-31, or 'now'"],
    [{ most: '31d', as: 'datetime' }, 'split.as: "datetime" can\'t stand here'],
    [{ most: '31d', params: ['from', 'until'] }, "split: rows has no parameter 'until'"],
    [{}, "split: full: rows doesn't say how many rows a search returns at most; give the number"],
  ])('refuses %j', (more, message) => {
    const stages = { rows: { call: 'rows', to: 'rows.jsonl', split: { ...split, ...more } } };
    const faults = checkFlow({ name: 'f', stages } as unknown as FlowDefinition, { service });
    expect(faults.map((fault) => `${fault.path}: ${fault.message}`)).toEqual([expect.stringContaining(`stages.rows.${message}`)]);
  });
});
