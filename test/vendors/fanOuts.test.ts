import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { findService, vendorNames } from '../../src/services/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { starters } from './starters.ts';
import { places } from './world.ts';

const place = { data_id: places({ day: 0 }, 'coffee')[1]!.dataId };
const stay = { check_in_date: '2026-12-01', check_out_date: '2026-12-02' };
const maps = { call: 'mapsSearch', with: { query: 'coffee in Lisbon 6', ll: '@38.72,-9.14,14z' } };
/** Some take no such place of a map. */
const elsewhere = { ...maps, with: { query: 'coffee in Lisbon 6', country: 'us' } };
const works = { call: 'scholarSearch', with: { query: 'streams' } };
/** What each ready fan-out begins with, but for those over another list than that of an operation's rows. */
const parents: { readonly [fanOut: string]: readonly [stage: object, more?: object] } = {
  placeReviews: [maps],
  placePhotos: [maps],
  placePosts: [maps],
  reviewsByTopic: [{ call: 'mapsReviews', with: place }],
  photosByCategory: [{ call: 'mapsPhotos', with: place }],
  authorProfiles: [works],
  authorCitations: [{ call: 'scholarAuthor', with: { author_id: 'auMQAJ' } }],
  citingWorks: [works],
  workVersions: [works],
  hotelDetails: [{ call: 'hotelSearch', with: { query: 'Vienna', ...stay } }, { with: stay }],
  aiOverviews: [{ call: 'webSearch', with: { query: ['green tea', 'black tea', 'white tea', 'red tea'] } }],
};

/** Fan-outs over rows that the facts say don't come: SearchApi's photos are without their categories. */
const rowless = new Set(['searchapi photosByCategory']);

const services = await Promise.all(vendorNames.map(async (name) => ({ name, service: await findService(name) })));
const tried = services.flatMap(({ name, service }) => Object.keys(service.fanOuts).map((fanOut) => ({ name, service, fanOut })));

describe('ready fan-outs of vendors', () => {
  it.each(tried.filter(({ name, fanOut }) => fanOut in parents && !rowless.has(`${name} ${fanOut}`)))(
    '$fanOut works with $name',
    async ({ name, service, fanOut }) => {
      await using standIn = await starters[name]!();
      await using client = createClient({ service, baseUrl: standIn.url, apiKey: standIn.key, rate: 'unlimited' });
      const [given, more = {}] = parents[fanOut]!;
      const parent = given === maps && !('ll' in service.operations['mapsSearch']!.params) ? elsewhere : given;
      const stages = { parents: { ...parent, limit: 10 }, rows: { call: fanOut, each: 'parents', ...more, to: 'rows.jsonl' } };
      const where = { outDir: '/out', fileSystem: new MemoryFileSystem(new MemoryDisk()) };
      const flow = { name: 'fans', service, stages } as unknown as FlowDefinition;
      const summary = (await lastValueFrom(runFlow(flow, { client: client as never, ...where }))) as FlowSummary;
      const [, { pages, failed, rows }] = summary.stages as [unknown, { pages: number; failed: number; rows: number }];
      const refused = standIn.requests
        .filter(({ status }) => status >= 400)
        .map(({ path, query, body, answer }) => ({ path, query, body, answer }));
      expect([refused.slice(0, 1), standIn.unknown, failed]).toEqual([[], [], 0]);
      expect([pages > 0, rows > 0]).toEqual([true, true]);
    },
  );
});
