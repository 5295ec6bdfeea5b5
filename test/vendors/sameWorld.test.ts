import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { findService, vendorNames } from '../../src/services/index.ts';
import { MemoryDisk } from '../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../disk/MemoryFileSystem.ts';
import { rowsOn } from '../flowInMemory.ts';
import { starters } from './starters.ts';
import { placeOf, places, reviews, webPages } from './world.ts';

const at = { day: 0 };
const spot = { query: 'coffee in Lisbon 12', ll: '@38.72,-9.14,14z' };
/** A flow in our words, which no vendor's name stands in, but in `service`. */
const flow = {
  name: 'same',
  stages: {
    places: { call: 'mapsSearch', with: spot, pages: 'all', by: 'data_id', pick: ['data_id', 'title', 'address', 'website'], to: 'places.jsonl' },
    reviews: { call: 'placeReviews', each: 'places', pages: 'all', keep: { of: '$.data_id' }, pick: ['review_id', 'rating', 'snippet'], to: 'reviews.jsonl' },
    pages: { call: 'webSearch', with: { query: 'tea' }, pages: 'all', pick: ['link', 'title', 'snippet'], to: 'pages.jsonl' },
  },
}; // prettier-ignore

const found = places(at, spot.query);
const expected = {
  'places.jsonl': found.map(({ dataId, title, address, website }) => ({ data_id: dataId, title, address, website })),
  'reviews.jsonl': found.flatMap((place) =>
    reviews(at, placeOf(at, place.dataId)!, 'relevant').map(({ id, rating, text }) => ({ review_id: id, rating, snippet: text, of: place.dataId })),
  ),
  'pages.jsonl': webPages(at, 'tea').map(({ link, title, snippet }) => ({ link, title, snippet })),
}; // prettier-ignore

const services = await Promise.all(vendorNames.map(async (name) => ({ name, service: await findService(name) })));
/** Some take no such place of a map, or have a depth in place of pages. */
const isPaged = ({ service }: (typeof services)[number]): boolean => {
  const { ll, depth } = { ...service.operations['mapsSearch']?.params };
  return ll !== undefined && depth === undefined;
};
const has = (call: string) => (one: (typeof services)[number]) => call in one.service.operations;

describe('one flow, over each vendor that has its operations', () => {
  it.each(services.filter(isPaged).filter(has('mapsReviews')).filter(has('webSearch')))('has the same rows in the same columns with $name', async ({ name, service }) => {
    await using standIn = await starters[name]!();
    await using client = createClient({ service, baseUrl: standIn.url, apiKey: standIn.key, rate: 'unlimited' });
    const disk = new MemoryDisk();
    const where = { outDir: '/out', fileSystem: new MemoryFileSystem(disk) };
    await lastValueFrom(runFlow({ ...flow, service } as unknown as FlowDefinition, { client: client as never, ...where }));
    const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted(); // prettier-ignore
    for (const [file, rows] of Object.entries(expected)) expect([file, ...sorted(rowsOn(disk, file))]).toEqual([file, ...sorted(rows)]);
  });
}); // prettier-ignore
