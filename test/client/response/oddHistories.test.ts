import { LimitGroups } from '../../../src/client/admission/LimitGroups.ts';
import { planOperations } from '../../../src/client/OperationPlan.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LazyRow } from '../../../operators/LazyRow.ts';
import { LazyRow as Unparsed } from '../../../operators/LazyRow.ts';
import { type ClientEvent, EventHub } from '../../../src/client/events/clientEvents.ts';
import { resolveOptions } from '../../../src/client/options/resolveOptions.ts';
import { parseResponse, type Payload } from '../../../src/client/response/parseResponse.ts';
import { ResponsePage } from '../../../src/client/response/ResponsePage.ts';
import { ResponseReader } from '../../../src/client/response/ResponseReader.ts';
import { SpanReader } from '../../../src/client/spans/SpanReader.ts';
import { operations, searchService } from '../../../src/search/index.ts';

const cases = process.env['TRAWLER_LONG'] === '1' ? 5000 : 40;

/** The list's key in `data`, and whether its rows are documented. */
const lists = [
  { operation: operations.mapsReviews, key: 'reviews_results', rows: undefined, documented: true },
  { operation: operations.mapsReviews, key: 'topics', rows: 'topics', documented: true },
  { operation: operations.webSearch, key: 'organic_results', rows: undefined, documented: false },
  { operation: operations.mapsReviews, key: 'unnamed', rows: 'unnamed', documented: false },
];
const object = fc.constantFrom<object>({ review_id: 'a', rating: 1 }, { review_id: 2 }, {}, { keyword: 'k', mentions: 1, id: 'i' });
const odd = fc.constantFrom<unknown>(true, null, [1, 2], 'text', 7, []);
const rows = fc.array(fc.oneof({ weight: 4, arbitrary: object }, { weight: 1, arbitrary: odd }), { maxLength: 6 });
const value = fc.oneof({ weight: 3, arbitrary: rows }, fc.constantFrom<unknown>(null, undefined, {}, 'text', 5, false));
const history = fc.array(value, { minLength: 1, maxLength: 8 });

/** Reads the pages of one client. `lazy`: rows may stay bytes. */
function readAll({ operation, key, rows: list }: (typeof lists)[number], values: readonly unknown[], lazy: boolean) {
  const { settings } = resolveOptions(searchService, { baseUrl: 'https://service.invalid', apiKey: 'key', maxDriftShare: 1 });
  const events = new EventHub();
  let skipped = 0;
  events.stream.subscribe((event: ClientEvent) => (skipped += event.type === 'drift' ? event.skipped : 0));
  const plan = planOperations(settings, new LimitGroups(settings))(operation);
  const [reader, spans] = [new ResponseReader(settings, events), new SpanReader(searchService)];
  const pages = values.map((listed) => {
    const data = { locationDetails: { address: 'a', rating: null, reviews: 3 }, topics: [], [key]: listed };
    const body = Buffer.from(JSON.stringify({ code: 200, message: 'ok', requestId: 'r', timestamp: 1, data }));
    const query = { data_id: 'x' };
    const cut = spans.read(body, { operation, query, rows: list, lazy });
    const page = reader.read(plan, query, list, (cut ?? parseResponse(body, searchService.envelope)) as Payload, 1);
    if (!(page instanceof ResponsePage)) throw page;
    return page.items.map((row) => (row instanceof Unparsed ? (row as LazyRow).parse() : row));
  });
  return { pages, skipped };
}

const isObject = (row: unknown): boolean => typeof row === 'object' && row !== null && !Array.isArray(row);

const asRow = (entry: unknown): unknown => (isObject(entry) ? entry : { value: entry });

describe('ResponseReader, whatever came before', () => {
  for (const each of lists) {
    const does = each.documented ? 'skips and counts what is no object' : 'keeps everything';
    it(`${does} in ${each.operation.name}.${each.key}, as bytes and parsed`, () => {
      fc.assert(
        fc.property(history, (values) => {
          const given = values.map((listed) => (Array.isArray(listed) ? (listed as unknown[]) : []));
          const pages = each.documented ? given.map((page) => page.filter(isObject)) : given.map((page) => page.map(asRow));
          const skipped = given.flat().length - pages.flat().length;
          for (const lazy of [true, false]) expect(readAll(each, values, lazy)).toEqual({ pages, skipped });
        }),
        { numRuns: cases },
      );
    });
  }
});
