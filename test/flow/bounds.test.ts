import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { byDates, items, splitWhenFull, type PageFactory, type PageLike } from '../../operators/index.ts';
import { checkQuery } from '../../src/contract/index.ts';
import { checkFlow, type FlowDefinition, planFlow } from '../../src/flow/index.ts';
import { compileFlow } from '../../src/flow/definition/compileFlow.ts';
import { createClient, defineOperation, defineService } from '../../src/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { byText, startApi, type ApiQuery, type ApiRow } from './startApi.ts';

const day = 86_400_000;
const now = Date.now();
/** The day on which the rows begin. */
const first = new Date(now - 210 * day).toISOString().slice(0, 10);

interface Way {
  /** How the bounds stand in the address. */
  readonly from: string;
  readonly to: string;
  readonly read: (text: string) => number;
  /** It returns rows of the upper bound: those of a day, or of a moment. */
  readonly included: number;
  /** The service returns only so many rows of a query. */
  readonly cap?: number;
  /** The number of days that it takes at most, if it isn't what its description says. */
  readonly takes?: number;
}
const times = { from: '${from:dateTime}', to: '${to:dateTime}', read: Date.parse, included: 1 };
const ways: { readonly [name: string]: Way } = {
  'as dates with time': times,
  'as days': { from: '${from}', to: '${to}', read: Date.parse, included: day },
  'as days, the upper one excluded': { from: '${from}', to: '${to+1d}', read: Date.parse, included: 0 },
  'as seconds, the upper one excluded': {
    from: '${from:seconds}',
    to: '${to:seconds}',
    read: (text) => Number(text) * 1000,
    included: 0,
  },
  'as milliseconds': { from: '${from:ms}', to: '${to:ms}', read: Number, included: 1 },
  'inside one text': { from: 'created:[${from:dateTime}..${to:dateTime}]', to: '', read: Date.parse, included: 1 },
  'as days, and returns only forty rows': { from: '${from:compactDate}', to: '${to:compactDate}', read: compact, included: day, cap: 40 },
  'as dates with time, and for a week at most': { ...times, takes: 7 },
  'as dates with time, and returns only ten rows, fewer than some days have': { ...times, cap: 10 },
  'as hours, the upper one excluded, and returns only ten rows': {
    from: "${from:'YYYY-MM-DD HH'}",
    to: "${to:'YYYY-MM-DD HH'}",
    read: (text) => Date.parse(`${text.replace(' ', 'T')}:00Z`),
    included: 0,
    cap: 10,
  },
};
function compact(text: string): number {
  return Date.parse(text.replace(/^(....)(..)/, '$1-$2-'));
}

/** Three rows a day, and many on some days. */
const all: readonly ApiRow[] = Array.from({ length: 210 }, (_, number) =>
  Array.from({ length: number % 40 === 5 ? 25 : 3 }, (_, index) => ({
    id: `r${number}-${index}`,
    created_at: new Date(Date.parse(first) + number * day + index * 3_400_123).toISOString(),
  })),
).flat();
const timeOf = ({ created_at }: ApiRow): number => Date.parse(String(created_at));
const page = 20;
const describedWith = ({ from, to }: Pick<Way, 'from' | 'to'>) => ({
  query: { from, ...(to !== '' && { to }), offset: '${offset}' },
  response: { rows: [{ id: 'string', created_at: 'string' }], total: 'integer' },
  rows: 'rows',
  id: 'id',
  time: 'created_at',
  size: page,
  total: 'total',
});
const described = describedWith(times);

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

  respond({ from: given, to: until, offset = '0' }: ApiQuery): object | string {
    const { read, included, cap = Infinity, takes = 31 } = this.way;
    const [from, to] = given?.startsWith('created:[') === true ? given.slice('created:['.length, -1).split('..') : [given, until];
    if (from === undefined || to === undefined) return 'from and to are required';
    const [begin, end] = [read(from), read(to) + included];
    if (end - begin > takes * day + 1) return `from and to are more than ${takes} days apart`;
    if (begin < this.due) return `an update asks from ${from}`;
    const found = this.rows.filter((row) => timeOf(row) >= begin && timeOf(row) < end).slice(0, cap);
    return { rows: found.slice(Number(offset), Number(offset) + page), total: found.length };
  }
}

const idsOf = (rows: readonly ApiRow[]): string[] => rows.map(({ id }) => String(id)).toSorted(byText);

describe.each(ofTheDay(Object.entries(ways), 1))('a service that needs bounds, %s', (name, way) => {
  const slug = name.replaceAll(/\W+/g, '-');
  const operation = { ...describedWith(way), most: '31d' };

  it('has every row once in a flow, and after four days of updates, one of them killed, which ask for the last days only', async () => {
    const world = new World(way);
    await using api = await startApi(`bounds-${slug}`, operation, (query) => world.respond(query));
    const stage = { split: { from: first, full: way.cap }, since: { lookback: '1d' } };
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
});

it.each([40, 10])('a service that needs bounds, and returns %i rows, gives a pipe every row once', async (cap) => {
  const world = new World({ ...times, included: 0, cap });
  const plain = { ...described, query: { offset: '${offset}' }, params: { from: { type: 'string' }, to: { type: 'string' } } };
  await using api = await startApi(`bounds-pipe-${cap}`, plain, (query) => world.respond(query));
  const service = defineService({ name: 'shop', operations: { rows: defineOperation({ get: '/rows', ...plain } as never) } });
  await using client = createClient({ service, baseUrl: api.url, rate: 'unlimited' });
  const rows = (client as unknown as { readonly rows: PageFactory<object, PageLike> }).rows;
  const split = byDates({ params: ['from', 'to'], from: first, to: 'now', most: '31d', as: 'dateTime' });
  const found = await lastValueFrom(of({}).pipe(splitWhenFull(rows, { split, full: cap }), items(), toArray()));
  expect(idsOf(found as ApiRow[])).toEqual(idsOf(world.rows));
});

describe('a stage whose service needs bounds', () => {
  const split = { from: first };

  it('halves what is refused as too large', async () => {
    const world = new World({ ...times, takes: 60 });
    await using api = await startApi('bounds-halved', { ...described, most: '9999d' }, (query) => world.respond(query));
    expect(await api.run({ split })).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    expect(api.requests.length).toBeLessThan(60);
  });

  it('walks the days one by one where each has an address of its own', async () => {
    const world = new World({ ...times, included: day });
    const daily = { ...described, get: "/rows/${from:'YYYY/MM/DD'}", query: { offset: '${offset}' } };
    await using api = await startApi('bounds-daily', daily, ({ offset }, { path }) => {
      const on = path.slice('/rows/'.length).replaceAll('/', '-');
      return world.respond({ from: on, to: on, ...(offset !== undefined && { offset }) });
    });
    expect(await api.run({ split, since: { lookback: '1d' } })).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    world.due = Math.max(...world.rows.map(timeOf)) - 2 * day - 1;
    world.today = 1;
    api.requests.length = 0;
    expect(await api.run({ split, since: { lookback: '1d' } }, '--update')).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    expect(api.requests.length).toBeLessThan(20);
  });

  it('begins and ends where the stage says, also in days before the run', async () => {
    const world = new World({ ...times, included: 0 });
    await using api = await startApi('bounds-ends', { ...described, most: '31d' }, (query) => world.respond(query));
    const until = new Date(now - 30 * day).toISOString().slice(0, 10);
    expect(await api.run({ split: { from: '${today-90d}', to: until } })).toMatchObject({ code: 0 });
    const bounds = [Date.parse(new Date(Date.now() - 90 * day).toISOString().slice(0, 10)), Date.parse(until) + day];
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows.filter((row) => timeOf(row) >= bounds[0]! && timeOf(row) < bounds[1]!)));
  });

  it('stops soon if everything is refused', async () => {
    await using api = await startApi('bounds-refused', { ...described, most: '31d' }, () => 'no such day');
    const { code, stderr } = await api.run({ split });
    expect([code, stderr]).toEqual([130, expect.stringContaining('Nothing has come')]);
    // all pieces, down to single days, would be 440
    expect(api.requests.length).toBeLessThan(150);
  });

  it('walks only the piece that failed once more, of which the next update requests all', async () => {
    const world = new World(times);
    let isDown = true;
    await using api = await startApi('bounds-failed', { ...described, most: '31d' }, (query) =>
      isDown && query['offset'] === '20' ? 'the service is down' : world.respond(query),
    );
    const stage = { split, since: { lookback: '1d' } };
    expect((await api.run(stage)).code).toBe(1);
    isDown = false;
    expect((await api.run(stage, '--failures')).code).toBe(0);
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    world.due = Math.max(...world.rows.map(timeOf)) - 2 * day - 1;
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    expect(idsOf(await api.rows())).toEqual(idsOf(world.rows));
  });

  const operation = (name: string, more: object) => defineOperation({ name, get: '/rows', ...described, ...more } as never);
  const service = defineService({
    name: 'shop',
    operations: {
      rows: operation('rows', { most: '31d' }),
      open: operation('open', {}),
      plain: operation('plain', { query: { offset: '${offset}' } }),
    },
  });
  it.each([
    [{ split: { frm: first } }, "split.frm: 'frm' is not a key of split; did you mean 'from'?"],
    [{ split: {} }, 'split: from: say where the range begins: a day such as 2020-01-31'],
    [{ split: { from: '2020' } }, 'split: from: it must be a day such as 2020-01-31 or ${today-30d}, not "2020"'],
    [{ split: { from: '${tody}' } }, "split: from: '${tody}' can't be read: write ${now}, ${today}"],
    [{ split: { from: first, to: '2020-01-01' } }, 'split: from: it must not be after 2020-01-01'],
    [{}, 'split: from and to are required: say where the days begin, "split": { "from": "2020-01-31" }'],
    [{ with: { from: first } }, 'split: to is required: say where the days begin, "split": { "from": "2020-01-31" }'],
    [{ with: { from: '2020-01-01', to: '2020-02-01' } }, 'with.to: from and to are 32 days apart: the service takes 31 in one request'],
    [{ call: 'open', split: { from: first } }, "split: full: open doesn't say how many rows a search returns at most; give the number"],
    [{ call: 'plain', split: { from: first } }, 'split: by: plain takes no days: no text of it has ${from} or ${to}'],
  ])('refuses %j', (more, message) => {
    const stages = { rows: { call: 'rows', to: 'rows.jsonl', ...more } };
    const faults = checkFlow({ name: 'f', stages } as unknown as FlowDefinition, { service });
    expect(faults.map((fault) => `${fault.path}: ${fault.message}`)[0]).toContain(`stages.rows.${message}`);
  });

  it('are said to be set by split, where a query in code or on the command line lacks them', () => {
    const messages = checkQuery(service.operations.rows, {}).map(({ message }) => message);
    expect(messages).toEqual([
      'from is required: the first day, or when it begins; in a flow, split sets it',
      'to is required: the last day, or when it ends; in a flow, split sets it',
    ]);
    expect(checkFlow({ name: 'f', stages: { rows: { call: 'rows', to: 'rows.jsonl' } } }, { service })).toHaveLength(1); // one fault for both
  });

  it('ends where a run begins, also one that begins long after its flow was read', () => {
    const stages = { rows: { call: 'rows', split: { from: first }, to: 'rows.jsonl' } };
    const flow = compileFlow({ name: 'f', stages }, { service });
    const later = Date.now() + 40 * day;
    const { split } = flow.at(later).stages[0]!;
    const ends = split?.kind === 'range' ? split.bounded!({}, undefined).map(({ params }) => Date.parse(params['to'] as string)) : [];
    expect(Math.max(...ends)).toBe(Math.floor(later / 1000) * 1000);
  });

  it('takes bounds that are no further apart, and a plan counts the pieces of those that are', async () => {
    const within = { rows: { call: 'rows', with: { from: '2020-01-01', to: '2020-01-31' }, to: 'rows.jsonl' } };
    expect(checkFlow({ name: 'f', stages: within }, { service })).toEqual([]);
    const split = { rows: { call: 'rows', split: { from: '2020-01-01', to: '2020-03-31' }, pages: 1, to: 'rows.jsonl' } };
    await using client = createClient({ service, baseUrl: 'http://127.0.0.1:9' });
    const { stages } = await planFlow({ name: 'f', stages: split }, { client });
    expect(stages[0]).toMatchObject({ requests: { atLeast: 3, atMost: Infinity } });
    expect(stages[0]!.why).toContain('split: 3 pieces of each query, as long as the service takes them');
  });
});
