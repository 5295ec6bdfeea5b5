import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { momentText } from '../../src/flow/definition/parseBinding.ts';
import { defineOperation, defineService } from '../../src/index.ts';
import { byText, startApi } from './startApi.ts';

const at = (time: string, zone = 'UTC') => ({ now: Date.parse(time), zone });

describe('a moment in a value', () => {
  it.each([
    ['now', 'UTC', '2026-03-31T22:30:05Z'],
    ['now-7d', 'UTC', '2026-03-24T22:30:05Z'],
    ['now+90min', 'UTC', '2026-04-01T00:00:05Z'],
    ['now:seconds', 'UTC', '1774996205'],
    ['now-1h:ms', 'UTC', '1774992605678'],
    ['now:date', 'Europe/Berlin', '2026-04-01'],
    ['today', 'UTC', '2026-03-31'],
    ['today', 'Europe/Berlin', '2026-04-01'],
    ['today', 'America/New_York', '2026-03-31'],
    ['today+1m', 'UTC', '2026-04-30'],
    ['today-1m', 'UTC', '2026-02-28'],
    ['today-1y', 'UTC', '2025-03-31'],
    ['today+1w:compactDate', 'UTC', '20260407'],
    ['today:dateTime', 'Europe/Berlin', '2026-03-31T22:00:00Z'],
    ['today-3d:dateTime', 'Europe/Berlin', '2026-03-28T23:00:00Z'], // before the clocks went forward
  ])('%s in %s is %s', (inside, zone, text) => {
    expect(momentText(inside, at('2026-03-31T22:30:05.678Z', zone))).toBe(text);
  });

  const service = defineService({
    name: 'shop',
    operations: {
      rows: defineOperation({
        get: '/rows',
        params: { from: { type: 'string', format: 'date' }, to: { type: 'integer' }, q: { type: 'string' } },
        response: { rows: [{ id: 'string' }] },
        rows: 'rows',
      }),
    },
  });
  const faultsOf = (given: object, more: object = {}) =>
    checkFlow({ name: 'f', stages: { rows: { call: 'rows', with: given, ...more } } } as FlowDefinition, { service }).map(
      ({ path, message }) => `${path}: ${message}`,
    );

  it('is checked as the value that it stands for', () => {
    expect(faultsOf({ from: '${today-7d}', to: '${now:ms}', q: 'now' })).toEqual([]);
    expect(faultsOf({ from: { days: '${today}/${today+1m}' } })).toEqual([]);
    expect(faultsOf({ from: '${now}' })).toEqual([expect.stringContaining('stages.rows.with.from: from must be a day that exists')]);
    expect(faultsOf({ to: '${today}' })).toEqual([expect.stringContaining('stages.rows.with.to: to must be')]);
  });

  it.each([
    ['${nwo}', "'${nwo}' can't be read: write ${now}, ${today}, ${now-7d} or ${today+1m}"],
    ['${now - 7d}', "'${now - 7d}' can't be read: write ${now}, ${today}, ${now-7d} or ${today+1m}"],
    ['${now-6m}', "'${now-6m}' has the unit 'm': after now there is s, min, h, d and w. For months write ${today-1m}"],
    ['${today+1h}', "'${today+1h}' has the unit 'h': after today there is d, w, m (months) and y"],
    ['${now:second}', "'${now:second}' ends in 'second'; did you mean 'seconds'?"],
  ])('%s is refused', (value, message) => {
    expect(faultsOf({ q: value })).toEqual([`stages.rows.with.q: ${message}`]);
  });

  it('is refused in keep, and in a time zone that nobody has', () => {
    expect(faultsOf({}, { keep: { at: '${now}' } })).toEqual([expect.stringContaining('stages.rows.keep.at: keep has no ${now}')]);
    const zone = { name: 'f', timeZone: 'Europe/Berlim', stages: { rows: { call: 'rows' } } };
    expect(checkFlow(zone, { service })).toEqual([
      {
        path: 'timeZone',
        message: `"Europe/Berlim" can't stand here: a time zone such as 'Europe/Berlin'; did you mean 'Europe/Berlin'?`,
      },
    ]);
  });
});

describe('a flow that reads the clock', () => {
  afterEach(() => void vi.useRealTimers());
  const setDay = (day: number): void => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, day, 12) });

  it('asks for the same days when it is resumed, and for later days in an update, which keeps the rows before', async () => {
    const operation = {
      params: { q: { type: 'string' }, from: { type: 'string', format: 'date' }, to: { type: 'string' } },
      response: { rows: [{ id: 'string' }] },
      rows: 'rows',
      id: 'id',
    };
    await using api = await startApi('moments', operation, ({ q, from, to }) => ({
      rows: [{ id: from === undefined ? q : `${q} ${from} ${to}` }],
    }));
    const flow = {
      stages: {
        words: { call: 'rows', with: { q: ['a', 'b', 'c'] } },
        rows: { call: 'rows', each: 'words', with: { q: '$.id', from: '${today-2d}', to: '${now}' }, to: 'rows.jsonl' },
      },
    };
    const rowsOf = (day: number): string[] => ['a', 'b', 'c'].map((q) => `${q} 2026-01-${day - 2} 2026-01-${day}T12:00:00Z`);
    const ids = async () => (await api.rows()).map(({ id }) => String(id)).toSorted(byText);
    setDay(20);
    expect(await api.run(flow, '--max-requests', '4')).toMatchObject({ code: 130 });
    setDay(21);
    expect((await api.run(flow)).code).toBe(0);
    expect([api.requests.length, await ids()]).toEqual([6, rowsOf(20)]);
    setDay(25);
    const { code, stderr } = await api.run(flow, '--update');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('rows: 3 new rows, 0 changed, gone: not known, the queries of rows count from the day of the run: see'),
    ]);
    expect(await ids()).toEqual([...rowsOf(20), ...rowsOf(25)].toSorted(byText));
  });
});
