import { describe, expect, it, vi } from 'vitest';
import { checkFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { byText, startApi, type ApiQuery, type ApiRow } from './startApi.ts';

const [minute, day] = [60_000, 86_400_000];
const begin = Date.UTC(2026, 0, 1);

/** Ways in which services take a time, and what they read of it. `step`: what they can't tell apart. */
const ways: { readonly [name: string]: { readonly since: object; readonly read: (text: string) => number; readonly step: number } } = {
  'as a date with time': { since: {}, read: Date.parse, step: 1000 },
  'as a day': { since: { as: 'date' }, read: Date.parse, step: day },
  'as seconds, and later rows only': { since: { as: 'seconds', inclusive: false }, read: (text) => Number(text) * 1000 + 1, step: 2000 },
  'as milliseconds': { since: { as: 'ms' }, read: Number, step: 1 },
  'inside a text': { since: { template: 'gte|${since}' }, read: (text) => Date.parse(text.replace('gte|', '')), step: 1000 },
  'inside a query': {
    since: { as: 'date', template: 'updated >= "${since}" ORDER BY updated' },
    read: (text) => Date.parse(/^updated >= "(.*)" ORDER BY updated$/.exec(text)![1]!),
    step: day,
  },
};

const page = 5;
const row = { id: 'string', updated_at: 'string', text: 'string' };
const described = {
  params: { since: { type: 'string' }, shop: { type: 'string' }, offset: { type: 'integer' } },
  response: { rows: [row], total: 'integer' },
  list: 'rows',
  id: 'id',
  paging: { kind: 'offset', param: 'offset', step: page, total: 'total' },
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

describe.each(ofTheDay(Object.entries(ways), 1))('a service that is asked for what changed, %s', (name, { since, read, step }) => {
  it('has after five days of updates, one of them killed, the rows of a fresh crawl', async () => {
    const world = new World();
    world.toDay(0, twenty);
    const operation = { ...described, since: { field: 'updated_at', param: 'since', lookback: '1h', ...since } };
    const slug = name.replaceAll(/\W+/g, '-');
    await using api = await startApi(`since-${slug}`, operation, (query) => world.respond(query, read));
    const stage = { since: {} };
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
  const operation = { ...described, since: { field: 'updated_at', param: 'since' } };

  it('moves the watermark of a query only when its walk was whole', async () => {
    const world = new World();
    let refused: string | undefined;
    await using api = await startApi('since-shops', operation, (query) => {
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
    const required = { ...operation, params: { ...described.params, since: { type: 'string', required: true } } };
    await using api = await startApi('since-begin', required, (query) => world.respond(query, Date.parse));
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
    await using api = await startApi('since-full', operation, (query) => world.respond(query, Date.parse));
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
      expect(stderr).toContain('1 new row, 0 changed, 0 gone');
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
    [{ since: { field: 'updated_at', parm: 'since' } }, "stages.rows.since.parm: 'parm' is not a key of since; did you mean 'param'?"],
    [{ since: { field: 'updated_at', param: 'sinse' } }, "stages.rows.since.param: rows has no parameter 'sinse'; did you mean 'since'?"],
    [{ since: { field: 'updated_at', as: 'date' } }, "stages.rows.since.as: 'as' needs 'param', the parameter that takes the time"],
    [{ since: { field: 'updated_at', param: 'since', as: 'day' } }, "stages.rows.since.as: \"day\" can't stand here: 'dateTime', 'date'"],
    [
      { since: { field: 'updated_at', param: 'since', template: 'gte' } },
      'stages.rows.since.template: "gte" can\'t stand here: a text with ${since} in it',
    ],
    [{ since: { field: 'updated_at', param: 'offset' } }, 'stages.rows.since.param: offset must be a whole number'],
    [
      { since: { field: 'updated_at', param: 'since', fullEvery: 'monthly' } },
      'stages.rows.since.fullEvery: "monthly" can\'t stand here: a length of time',
    ],
    [{ since: { field: 'updated_at', param: 'since' }, gone: 'drop' }, 'stages.rows.gone: only an update that requests everything sees'],
    [{ since: { field: 'updated_at' }, gone: 'drop' }, 'stages.rows.gone: only an update that requests everything sees'],
    [{ since: { field: 'updated_at' }, limit: 10 }, 'stages.rows.limit: a stage has since or limit, not both'],
    [
      { since: { field: 'updated_at', param: 'since' }, with: { since: ['a', 'b'] } },
      'stages.rows.with.since: an update sets since itself',
    ],
  ])('%j is refused', (stage, message) => {
    expect(faultsOf(stage)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{ field: 'updated_on', param: 'since' }, `since.field is 'updated_on', but a row has no updated_on; did you mean updated_at?`],
    [{ field: 'updated_at', param: 'sinse' }, `since.param names 'sinse', which is not one of its params; did you mean since?`],
    [{ field: 'updated_at', param: 'since', as: 'datetime' }, 'since.as must be'],
    [{ field: 'updated_at', param: 'since', tempalte: 'x' }, "did you mean 'since.template'?"],
  ])('a description with %j is refused', (since, message) => {
    expect(() => defineOperation({ get: '/rows', ...described, since } as never)).toThrow(message);
  });
});
