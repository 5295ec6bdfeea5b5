import { describe, expect, it, vi } from 'vitest';
import { checkFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { byText, startApi, type ApiQuery, type ApiRow } from './startApi.ts';

const [minute, day] = [60_000, 86_400_000];
const begin = Date.UTC(2026, 0, 1);

/** Ways in which services take a time, and what they read of it. `step`: what they can't tell apart. */
const ways: { readonly [name: string]: { readonly as: string; readonly read: (text: string) => number; readonly step: number } } = {
  'as a date with time': { as: '${since}', read: Date.parse, step: 1000 },
  'as a day': { as: '${since:date}', read: Date.parse, step: day },
  'as seconds, and later rows only': { as: '${since-1s:seconds}', read: (text) => Number(text) * 1000 + 1, step: 2000 },
  'as milliseconds': { as: '${since:ms}', read: Number, step: 1 },
  'as a pattern': {
    as: "${since:'DD.MM.YYYY HH:mm'}",
    read: (text) => Date.parse(`${text.replace(/(..).(..).(....) (.*)/, '$3-$2-$1T$4')}Z`),
    step: minute,
  },
  'inside a text': { as: 'gte|${since}', read: (text) => Date.parse(text.replace('gte|', '')), step: 1000 },
  'inside a query': {
    as: 'updated >= "${since:date}" ORDER BY updated',
    read: (text) => Date.parse(/^updated >= "(.*)" ORDER BY updated$/.exec(text)![1]!),
    step: day,
  },
};

const page = 5;
const row = { id: 'string', updated_at: 'string', text: 'string' };
const described = {
  query: { since: '${since}', offset: '${offset}' },
  params: { shop: { type: 'string' } },
  response: { rows: [row], total: 'integer' },
  rows: 'rows',
  id: 'id',
  time: 'updated_at',
  size: page,
  total: 'total',
};

/** Rows that come and change from day to day, in the order of their ids. It refuses to be asked for less or more than is due. */
class World {
  readonly rows = new Map<string, ApiRow>();
  /** From which time on an update asks at least and at most. */
  due: readonly [number, number] | undefined;

  toDay(number: number, ids: readonly number[]): void {
    for (const id of ids) {
      const updated_at = new Date(begin + number * day + id * minute).toISOString();
      this.rows.set(`r${id}`, { id: `r${id}`, updated_at, text: `day ${number}` });
    }
  }

  get newest(): number {
    return Math.max(...Array.from(this.rows.values(), ({ updated_at }) => Date.parse(String(updated_at))));
  }

  respond({ since, offset = '0' }: ApiQuery, read: (text: string) => number): object | string {
    const from = since === undefined ? -Infinity : read(since);
    if (this.due !== undefined && !(from >= this.due[0] && from <= this.due[1])) return `an update asks from ${since}`;
    const all = [...this.rows.values()].filter(({ updated_at }) => Date.parse(String(updated_at)) >= from);
    return { rows: all.slice(Number(offset), Number(offset) + page), total: all.length };
  }
}

const twenty = [...Array(20).keys()];
const byId = (rows: Iterable<ApiRow>): readonly ApiRow[] =>
  [...rows].toSorted((one, other) => byText(String(one['id']), String(other['id'])));

/** Seven rows change each day, some of which are new. */
const changedOn = (number: number): number[] => Array.from({ length: 7 }, (_, index) => (number * 5 + index * 3) % (20 + number * 2));

describe.each(ofTheDay(Object.entries(ways), 1))('a service that is asked for what changed, %s', (name, { as, read, step }) => {
  it('has after five days of updates, one of them killed, the rows of a fresh crawl', async () => {
    const world = new World();
    world.toDay(0, twenty);
    const operation = { ...described, query: { since: as, offset: '${offset}' } };
    const slug = name.replaceAll(/\W+/g, '-');
    await using api = await startApi(`since-${slug}`, operation, (query) => world.respond(query, read));
    const stage = { since: { lookback: '1h' } };
    expect(await api.run(stage)).toMatchObject({ code: 0 });
    for (let number = 1; number <= 5; number++) {
      const known = world.newest - 60 * minute;
      world.due = [known - step, known];
      world.toDay(number, number === 4 ? [] : changedOn(number));
      if (number === 2) await api.kill(stage, 1, '--update');
      expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
      expect(byId(await api.rows())).toEqual(byId(world.rows.values()));
    }
    expect(api.requests.length).toBeLessThan(28); // 6 full crawls take 30
  });
});

describe('a stage that asks for what changed', () => {
  it('moves the watermark of a query only when its walk was whole', async () => {
    const world = new World();
    let refused: string | undefined;
    await using api = await startApi('since-shops', described, (query) => {
      if (query['shop'] === refused && query['offset'] === '5') return 'the service is down';
      return world.respond(query, Date.parse);
    });
    const stage = { with: { shop: ['a', 'b'] }, since: { lookback: '0h' } };
    world.toDay(0, [0, 1, 2, 3, 4, 5, 6]);
    expect(await api.run(stage)).toMatchObject({ code: 0 });
    world.toDay(1, [0, 1, 2, 3, 4, 5]);
    refused = 'b';
    expect((await api.run(stage, '--update')).code).toBe(1);
    refused = undefined;
    api.requests.length = 0;
    world.toDay(2, [9]);
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    const from = (number: number, id: number): string => new Date(begin + number * day + id * minute).toISOString().replace('.000', '');
    expect(new Set(api.requests.map(({ shop, since }) => `${shop} ${since}`))).toEqual(new Set([`a ${from(1, 5)}`, `b ${from(0, 6)}`]));
    expect(await api.rows()).toHaveLength(8);
  });

  it('begins where with says, and an update where it is', async () => {
    const world = new World();
    world.toDay(0, [0, 1]);
    world.toDay(2, [2, 3]);
    await using api = await startApi('since-begin', described, (query) => world.respond(query, Date.parse));
    const stage = { with: { since: '2026-01-02T00:00:00Z' }, since: { lookback: '0h' } };
    expect(await api.run(stage)).toMatchObject({ code: 0 });
    expect(await api.rows()).toHaveLength(2);
    world.toDay(3, [4]);
    expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
    expect(await api.rows()).toHaveLength(3);
    expect(api.requests.map(({ since }) => since)).toEqual(['2026-01-02T00:00:00Z', '2026-01-03T00:03:00Z']);
  });

  it('sees what is gone when it asks for everything, every so often', async () => {
    const world = new World();
    await using api = await startApi('since-full', described, (query) => world.respond(query, Date.parse));
    const stage = { since: { fullEvery: '30d' }, gone: 'drop' };
    const setDay = (number: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: begin + number * day });
    const ids = async (): Promise<string[]> => (await api.rows()).map(({ id }) => String(id)).toSorted(byText);
    try {
      setDay(1);
      world.toDay(0, [0, 1, 2]);
      expect(await api.run(stage)).toMatchObject({ code: 0 });
      setDay(20);
      world.rows.delete('r1');
      world.toDay(19, [3]);
      const { stderr } = await api.run(stage, '--update');
      expect(stderr).toContain('1 new row, 0 changed, gone: not known, only what is new was requested of rows: see');
      expect(await ids()).toEqual(['r0', 'r1', 'r2', 'r3']);
      setDay(31);
      const full = await api.run(stage, '--update');
      expect(full.stderr).toContain('0 new rows, 0 changed, 1 gone');
      expect(await ids()).toEqual(['r0', 'r2', 'r3']);
      setDay(32);
      expect(await api.run(stage, '--update')).toMatchObject({ code: 0 });
      expect(api.requests.map(({ since }) => since)).toEqual([undefined, '2025-12-25T00:02:00Z', undefined, '2026-01-13T00:03:00Z']);
    } finally {
      vi.useRealTimers();
    }
  });

  const service = defineService({ name: 'shop', operations: { rows: defineOperation({ get: '/rows', ...described } as never) } });
  const faultsOf = (stage: object) =>
    checkFlow({ name: 'f', stages: { rows: { call: 'rows', to: 'rows.jsonl', ...stage } } } as FlowDefinition, { service }).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  it.each([
    [
      { since: { param: 'since' } },
      "stages.rows.since.param: 'param' is not a key of since; there are field, id, lookback, fullEvery, unless",
    ],
    [{ since: { fullEvery: 'monthly' } }, 'stages.rows.since.fullEvery: "monthly" can\'t stand here: a length of time'],
    [{ since: {}, gone: 'drop' }, 'stages.rows.gone: only an update that requests everything sees'],
    [{ since: {}, limit: 10 }, 'stages.rows.limit: a stage has since or limit, not both'],
    [{ since: {}, with: { since: ['2026-01-01', '2026-01-02'] } }, 'stages.rows.with.since: an update sets since itself'],
    [
      { since: {}, with: { since: 'yesterday' } },
      'stages.rows.with.since: since must be a day that exists, as YYYY-MM-DD, or a time such as',
    ],
  ])('%j is refused', (stage, message) => {
    expect(faultsOf(stage)).toEqual([expect.stringContaining(message)]);
  });

  it.each<[object, string]>([
    [{ time: 'updated_on' }, `time is 'updated_on', but a row has no updated_on; did you mean updated_at?`],
    [{ time: { at: 'updated_at', as: 'datetime' } }, "time.as must be 'dateTime', 'date', 'compactDate', 'seconds', 'ms', or a pattern"],
    [
      { query: { offset: '${offset}', since: '${sinse}' } },
      "query.since: '${sinse}' can't be read: write ${since}, ${from}, ${to}, ${now}, ${today}",
    ],
    [
      { query: { offset: '${offset}', since: '${since:second}' } },
      "query.since: '${since:second}' ends in 'second'; did you mean 'seconds'?",
    ],
    [
      { query: { offset: '${offset}', since: '${since-2m}' } },
      "query.since: '${since-2m}' has the unit 'm': after since there is s, min, h, d and w",
    ],
    [
      { query: { offset: '${offset}', filter: { at: ["${since:'YY'}"] } } },
      "query.filter.at[0]: '${since:'YY'}' ends in ''YY''; there is dateTime, date",
    ],
    [{ params: { ...described.params, since: { type: 'string' } } }, "query.since has ${since}, which is a time, so it isn't listed"],
    [{ most: '31d' }, 'most says how far ${from} and ${to} may be apart, and no text has them'],
    [
      { query: { offset: '${offset}', from: '${from}' }, most: 'a month' },
      "most must be a number of days or weeks such as '1d' or '2w', not 'a month'",
    ],
  ])('a description with %j is refused', (more, message) => {
    expect(() => defineOperation({ get: '/rows', ...described, ...more } as never)).toThrow(message);
  });
});
