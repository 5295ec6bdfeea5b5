import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueAt } from '../../operators/kit/path.ts';
import type { Service } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { FileLedger } from '../../src/ledger/FileLedger.ts';
import { moneyText, summarizeSpending } from '../../src/ledger/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { killedDisk } from '../flowInMemory.ts';
import { ofTheDay } from '../ofTheDay.ts';
import type { StandIn, StandInOptions } from './standIn.ts';
import * as world from './world.ts';

type Query = { readonly [param: string]: string | number };

/** A query of one of our operations, in our words, and what it brings from the world, whoever answers it. */
interface Sample {
  readonly with: Query;
  /** One that has no rows. */
  readonly none?: Query;
  /** The column that tells its rows apart, and what stands there. */
  readonly id: string;
  readonly rows: (at: world.World) => readonly string[];
}

const [, second, third] = world.places({ day: 0 }, 'coffee') as [world.Place, world.Place, world.Place];
const placeIn = (at: world.World): world.Place => world.placeOf(at, second.dataId)!;
const links = (rows: readonly { readonly link: string }[]): string[] => rows.map(({ link }) => link);
const us = { country: 'us', language: 'en' };
const none = { query: 'nothing of that' };
const stay = { check_in_date: '2026-12-01', check_out_date: '2026-12-02' };
const ll = '@38.72,-9.14,14z';
const web = { with: { query: 'tea', ...us }, none, id: 'link', rows: (at: world.World) => links(world.webPages(at, 'tea')) };
const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** Our operations that have rows. */
const samples: { readonly [operation: string]: Sample } = {
  webSearch: web,
  lightSearch: web,
  mobileSearch: web,
  autocomplete: { with: { query: 'tea' }, none, id: 'value', rows: () => world.suggestions('tea').map(({ value }) => value) },
  imageSearch: {
    with: { query: 'cats 123', ...us }, none, id: 'original', rows: (at) => world.images(at, 'cats 123').map(({ original }) => original),
  },
  videoSearch: { with: { query: 'cats', ...us }, none, id: 'link', rows: (at) => links(world.videos(at, 'cats')) },
  newsSearch: { with: { query: 'rates', ...us }, none, id: 'link', rows: (at) => links(world.news(at, 'rates')) },
  jobSearch: { with: { query: 'nurse', ...us }, none, id: 'job_id', rows: (at) => idsOf(world.jobs(at, 'nurse')) },
  hotelSearch: {
    with: { query: 'Vienna', ...stay }, none: { query: 'nothing', ...stay }, id: 'property_token',
    rows: (at) => world.hotels(at, 'Vienna', stay.check_in_date).map(({ token }) => token),
  },
  immersiveProduct: { with: { page_token: 'kettle-token' }, id: 'link', rows: () => links(world.product('kettle-token').stores) },
  mapsSearch: {
    with: { query: 'coffee in Lisbon', ll, language: 'en' }, none: { query: 'nothing', ll }, id: 'data_id',
    rows: (at) => world.places(at, 'coffee in Lisbon').map(({ dataId }) => dataId),
  },
  mapsReviews: {
    with: { data_id: second.dataId, sort_by: 'newestFirst' }, none: { data_id: third.dataId }, id: 'review_id',
    rows: (at) => idsOf(world.reviews(at, placeIn(at), 'newest')),
  },
  mapsPhotos: {
    with: { data_id: second.dataId }, none: { data_id: third.dataId }, id: 'image', rows: () => world.photos(second).map(({ image }) => image),
  },
  mapsPosts: { with: { data_id: second.dataId }, none: { data_id: third.dataId }, id: 'link', rows: (at) => links(world.posts(at, placeIn(at))) },
  scholarSearch: { with: { query: 'streams' }, none, id: 'id', rows: (at) => idsOf(world.works(at, { text: 'streams' })) },
  scholarAuthor: { with: { author_id: 'auMQAJ' }, id: 'citation_id', rows: () => idsOf(world.author('auMQAJ')!.articles) },
  scholarProfiles: { with: { mauthors: 'jones' }, none: { mauthors: 'nothing' }, id: 'author_id', rows: () => idsOf(world.profiles('jones')) },
}; // prettier-ignore

/** Our operations that have one answer each. */
const single = ['aiMode', 'aiOverview', 'financeSearch', 'patentDetails'];

/** A vendor, and what its facts say of our operations. */
export interface VendorUnderTest {
  readonly name: string;
  readonly service: Service;
  readonly start: (options?: StandInOptions) => Promise<StandIn>;
  /** Where the key stands. It must stand nowhere else. */
  readonly keyAt: { readonly header: string } | { readonly param: string };
  /** How many requests all rows of a sample take, by operation. These are all of ours that it has. */
  readonly requests: { readonly [operation: string]: number };
  /** How many requests a page takes that is a job. @default all pages are one */
  readonly ofJob?: number;
  /** What a sample has otherwise with this vendor, where its facts have no counterpart of ours. */
  readonly differing?: { readonly [operation: string]: Partial<Sample> };
  /** Operations that odd behaviours concern. They bring all rows once all the same, with two requests more at most. */
  readonly odd?: { readonly [behaviour: string]: readonly string[] };
}

/** Tries the description of a vendor against its stand-in, operation by operation. */
export function vendorSuite({ name, service, start, keyAt, requests, ofJob, differing = {}, odd = {} }: VendorUnderTest): void {
  const sampleOf = (operation: string): Sample => ({ ...samples[operation]!, ...differing[operation] });
  const flowOf = (call: string, query: Query): FlowDefinition => {
    const definition = {
      name: 'try',
      service,
      stages: { rows: { call, with: query, pages: 'all', to: 'rows.jsonl' } },
    };
    return definition as unknown as FlowDefinition;
  };
  let standIn: StandIn;
  let disk: MemoryDisk;
  const open = (apiKey = standIn.key, ledger?: string) =>
    createClient({
      service,
      baseUrl: standIn.url,
      apiKey,
      rate: 'unlimited',
      retry: { baseMs: 5 },
      ...(ledger !== undefined && { ledger }),
    });
  const fresh = async (options?: StandInOptions): Promise<void> => {
    await standIn?.close();
    standIn = await start(options);
    disk = new MemoryDisk();
  };
  const run = async (
    flow: FlowDefinition,
    options: { readonly update?: boolean } = {},
    key?: string,
    ledger?: string,
  ): Promise<FlowSummary> => {
    await using client = open(key, ledger);
    const where = { outDir: '/out', fileSystem: new MemoryFileSystem(disk), commitMs: 0 };
    return (await lastValueFrom(runFlow(flow, { client: client as never, ...where, ...options }))) as FlowSummary;
  };
  const found = (operation: string): string[] => {
    const lines = String(disk.read('/out/rows.jsonl') ?? '').split('\n').filter((line) => line !== ''); // prettier-ignore
    return lines.map((line) => String(valueAt(JSON.parse(line) as object, sampleOf(operation).id)));
  };
  const expected = (operation: string): readonly string[] => sampleOf(operation).rows(standIn.world);
  /** A ledger of its own, which must come to what the vendor has charged. */
  const ledgerOf = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-booked-'));
    const path = join(folder, 'ledger');
    const expectCharged = async (): Promise<void> => {
      const ledger = new FileLedger(path, nodeFileSystem);
      const { total } = await summarizeSpending(ledger, { since: 0, by: 'day' });
      await ledger.close();
      await rm(folder, { recursive: true });
      expect(Number(moneyText(total.money))).toBeCloseTo(standIn.charged);
      expect(standIn.charged).toBeGreaterThan(0);
    };
    return { path, expectCharged };
  };

  describe(`the description of ${name}`, () => {
    beforeAll(() => fresh());
    afterAll(() => standIn.close());

    it('has the operations that the facts name', () => {
      const ours = Object.keys(service.operations).filter((operation) => operation in samples || single.includes(operation));
      expect(ours.toSorted()).toEqual(Object.keys(requests).toSorted());
    });

    const withRows = Object.entries(requests).filter(([operation]) => operation in samples);
    describe.each(withRows.map((one, turn) => [...one, turn] as const))('%s', (operation, needed, turn) => {
      const { with: query, none } = sampleOf(operation);
      const flow = flowOf(operation, query);

      it('brings all rows once without a request too many, then those of the next day, books them, and has its key in one place', async () => {
        await fresh();
        const booked = await ledgerOf();
        const { outcome, drift, requests } = await run(flow, {}, standIn.key, booked.path);
        expect([outcome, drift, standIn.unknown]).toEqual(['complete', undefined, []]);
        expect(found(operation)).toEqual(expected(operation));
        expect([standIn.requests.length, requests]).toEqual([needed, needed]);
        standIn.world.day = 1;
        const updated = await run(flow, { update: true }, standIn.key, booked.path);
        expect([updated.outcome, found(operation).toSorted()]).toEqual(['complete', expected(operation).toSorted()]);
        for (const { headers, query, path, body } of standIn.requests) {
          const [header, param] = 'header' in keyAt ? [keyAt.header, ''] : ['', keyAt.param];
          const { [header]: inHeader, ...otherHeaders } = headers;
          const { [param]: inAddress, ...others } = query;
          expect(inHeader ?? inAddress).toBeDefined();
          expect(JSON.stringify([path, body, otherHeaders, others])).not.toContain(standIn.key);
        }
        for (const path of disk.paths) expect(String(disk.read(path))).not.toContain(standIn.key);
        await booked.expectCharged();
      });

      // nothing found is said in words, or by nothing
      const ways = none === undefined ? [] : [[], ['noList']].map((odd) => [none, odd] as const);
      it.each(ofTheDay(ways, 1, turn))('has nothing for %j, which is no failure (%j)', async (query, odd) => {
        await fresh({ odd });
        const { outcome, drift, stages } = await run(flowOf(operation, query));
        // a run without any row is doubtful
        expect([['complete', 'doubtful'].includes(outcome), drift, stages[0]!.failed, found(operation)]).toEqual([true, undefined, 0, []]);
        expect(standIn.requests).toHaveLength(service.operations[operation]!.spec.job === undefined ? 1 : (ofJob ?? needed));
      });
    });

    // What failures mean is said once for all operations.
    describe.each(ofTheDay(withRows, Math.ceil(withRows.length / 3)))('%s', (operation, needed) => {
      const flow = flowOf(operation, sampleOf(operation).with);

      it('retries what fails once and what is too fast, and books what the vendor counts', async () => {
        await fresh();
        standIn.outage = 1;
        standIn.tooFast = 1;
        const booked = await ledgerOf();
        await run(flow, {}, standIn.key, booked.path);
        expect(found(operation)).toEqual(expected(operation));
        expect(standIn.requests).toHaveLength(needed + 2);
        await booked.expectCharged();
      });

      it('stops at a wrong key and without credits, with one request each, and has all rows when there are some again', async () => {
        await fresh({ credits: 0 });
        await expect(run(flow, {}, 'wrong:another')).rejects.toMatchObject({ name: 'AuthError' });
        expect(standIn.requests).toHaveLength(1);
        const { outcome, because } = await run(flow);
        expect([outcome, because]).toEqual(['interrupted', expect.stringMatching(/quota|credit/)]);
        expect(standIn.requests).toHaveLength(2);
        standIn.credits = Infinity;
        await run(flow);
        expect(found(operation)).toEqual(expected(operation));
      });

      it('has every row once when it is killed and resumed', async () => {
        await fresh();
        const half = Math.ceil(needed / 2);
        disk = await killedDisk(flow, open(), () => standIn.requests.length >= half);
        await run(flow);
        expect(found(operation)).toEqual(expected(operation));
        expect(standIn.requests.length).toBeLessThanOrEqual(needed + 2);
      });
    });

    const orders = { qualityScore: 'relevant', newestFirst: 'newest', ratingHigh: 'highest', ratingLow: 'lowest' } as const;
    const sorted = 'mapsReviews' in requests ? Object.entries(orders) : [];
    it.each(sorted)('sorts reviews by %s', async (sort_by, order) => {
      await fresh();
      await run(flowOf('mapsReviews', { ...sampleOf('mapsReviews').with, sort_by }));
      expect(found('mapsReviews')).toEqual(idsOf(world.reviews(standIn.world, placeIn(standIn.world), order)));
    });

    it.each(service.account === undefined ? [] : [name])('says what is left at %s', async () => {
      await fresh({ credits: 1234 });
      const folder = await mkdtemp(join(tmpdir(), 'trawler-account-'));
      const file = join(folder, 'flow.json');
      const { stages } = flowOf('webSearch', sampleOf('webSearch').with);
      await writeFile(file, JSON.stringify({ name: 'try', service: name.toLowerCase(), stages }));
      const variable = name.toUpperCase();
      const env = { [`${variable}_API_KEY`]: standIn.key, [`${variable}_BASE_URL`]: standIn.url };
      const { stdout, stderr } = await runInProcess(['check', file], { env });
      expect(stdout + stderr).toMatch(/What is left at \w+: 1,234 (searches|credits|USD)\./);
      expect([standIn.requests.length, standIn.charged]).toEqual([1, 0]);
      await rm(folder, { recursive: true });
    });

    const oddities = Object.entries(odd).flatMap(([behaviour, operations]) =>
      operations.map((operation) => [behaviour, operation] as const),
    );
    it.each(oddities)('copes with %s in %s', async (behaviour, operation) => {
      await fresh({ odd: [behaviour] });
      await run(flowOf(operation, sampleOf(operation).with));
      expect(found(operation)).toEqual(expected(operation));
      expect(standIn.requests.length).toBeLessThanOrEqual(requests[operation]! + 2);
    });
  });
}
