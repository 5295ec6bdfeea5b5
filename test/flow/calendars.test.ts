import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayAfter } from '../../operators/index.ts';
import { createClient } from '../../src/createClient.ts';
import { checkFlow, defineFlow, loadFlow, planFlow, runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';

let outDir: string;
beforeEach(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'trawler-calendar-'));
});
afterEach(() => rm(outDir, { recursive: true, force: true }));

const prices = defineFlow({
  name: 'prices',
  stages: {
    nights: {
      call: 'hotelSearch',
      with: {
        query: ['Vienna', 'Graz'],
        check_in_date: { days: '2026-12-30/2027-01-08', every: '1d' },
        check_out_date: { after: 'check_in_date', days: 2 },
      },
      keep: { city: '$query.query', night: '$query.check_in_date', until: '$query.check_out_date' },
      by: ['property_token', 'night'],
      to: 'nights.jsonl',
    },
  },
});

async function run(
  flow: Parameters<typeof runFlow>[0],
  options: { readonly maxRequests?: number; readonly update?: boolean } = {},
): Promise<FlowSummary> {
  await using sandbox = await startSandbox();
  await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  const summary = (await lastValueFrom(runFlow(flow, { client, outDir, ...options }))) as FlowSummary;
  expect(summary.requests).toBe(sandbox.count());
  return summary;
}

async function rows(): Promise<{ readonly [field: string]: string }[]> {
  const lines = (await readFile(join(outDir, 'nights.jsonl'), 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as { readonly [field: string]: string });
}

describe('days of a calendar as values of with', () => {
  it('make a query for each day, also across a stop and in an update, and rows that say which', async () => {
    expect((await run(prices, { maxRequests: 7 })).outcome).toBe('interrupted');
    const summary = await run(prices);
    expect(summary).toMatchObject({ outcome: 'capped', requests: 13 });
    const found = await rows();
    const nights = [...new Set(found.map(({ city, night, until }) => `${city} ${night} ${until}`))].toSorted();
    expect(nights).toHaveLength(20);
    expect(nights[0]).toBe('Graz 2026-12-30 2027-01-01');
    expect(nights.at(-1)).toBe('Vienna 2027-01-08 2027-01-10');
    expect(await run(prices, { update: true })).toMatchObject({ outcome: 'capped', requests: 20 });
    expect(await rows()).toHaveLength(found.length);
  });

  it('may be counted from today', async () => {
    const [nights] = Object.values(prices.stages);
    const check_in_date = { days: '${today+1d}/${today+10d}' };
    const flow = { name: 'next', stages: { nights: { ...nights!, with: { ...nights!.with, check_in_date } } } };
    expect((await planFlow(flow)).stages[0]).toMatchObject({ queries: { atMost: 20 } });
    await run(flow, { maxRequests: 5 });
    expect(await run(flow)).toMatchObject({ outcome: 'capped', requests: 15 });
    const tomorrow = dayAfter(new Date().toISOString().slice(0, 10), 1);
    expect([dayAfter(tomorrow, -1), tomorrow]).toContain((await rows()).map(({ night }) => night!).toSorted()[0]);
  });

  it('are priced before the first request', async () => {
    const { stages } = await planFlow(prices);
    expect(stages[0]).toMatchObject({ queries: { atLeast: 20, atMost: 20 }, requests: { atLeast: 20, atMost: 20 } });
  });

  it('may come from seeds. A row without a day fails by itself', async () => {
    const seeds = join(outDir, 'stays.jsonl');
    await writeFile(seeds, ['2026-05-01/2026-05-03', 'tomorrow', ''].map((days) => `${JSON.stringify({ city: 'Linz', days })}\n`).join(''));
    const flow: FlowDefinition = {
      name: 'stays',
      stages: {
        nights: {
          call: 'hotelSearch',
          each: 'stays.jsonl',
          with: { query: '$.city', check_in_date: { days: '$.days' }, check_out_date: { after: 'check_in_date', days: 1 } },
          keep: { night: '$query.check_in_date' },
          to: 'nights.jsonl',
        },
      },
    };
    await writeFile(join(outDir, 'stays.json'), JSON.stringify(flow));
    const { stages } = await run(await loadFlow(join(outDir, 'stays.json')));
    expect(stages[0]).toMatchObject({ done: 3, failed: 1 });
    expect(new Set((await rows()).map(({ night }) => night))).toEqual(new Set(['2026-05-01', '2026-05-02', '2026-05-03']));
  });

  it.each([
    [{ dayz: '2026-01-01/2026-01-02' }, undefined, "days have no 'dayz'; did you mean 'days'?"],
    [{ days: '2026-01-02/2026-01-01' }, undefined, 'days must begin with the earlier day'],
    [{ days: '2026-01-01/2026-01-05', every: '1 day' }, undefined, "every must be a number of days or weeks such as '1d' or '2w'"],
    [{ days: '2026-01-01/2026-01-05' }, { after: 'check_in', days: 1 }, "did you mean 'check_in_date'?"],
    [{ days: '2026-01-01/2026-01-05' }, { after: 'check_in_date', days: 0.5 }, 'days must be a whole number'],
    [{ days: '2026-01-01/2026-01-05' }, '2026-01-04', 'and days has "2026-01-04"'],
  ])('are checked: %j, %j', (check_in_date, check_out_date, message) => {
    const given = { query: 'Vienna', check_in_date, check_out_date: check_out_date ?? { after: 'check_in_date', days: 1 } };
    const flow = { name: 'x', stages: { nights: { call: 'hotelSearch', with: given, to: 'x.jsonl' } } } as FlowDefinition;
    expect(
      checkFlow(flow)
        .map((issue) => issue.message)
        .join('; '),
    ).toContain(message);
  });
});

it('a column that names no parameter of the query is a fault', () => {
  const [nights] = Object.values(prices.stages);
  const flow = { name: 'x', stages: { nights: { ...nights!, keep: { night: '$query.check_in' } } } };
  expect(checkFlow(flow)[0]?.message).toContain("hotelSearch has no parameter 'check_in'; did you mean 'check_in_date'?");
});
