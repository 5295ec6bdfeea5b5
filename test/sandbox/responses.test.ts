import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { checkResponse } from '../../src/contract/checkResponse/DriftWatch.ts';
import { responseJsonSchema } from '../../src/contract/jsonSchema.ts';
import type { Operation } from '../../src/contract/Operation.ts';
import { type OperationName, operations } from '../../src/search/operations.ts';
import { responses } from '../../src/sandbox/imitated.ts';
import { World } from '../../src/sandbox/world/World.ts';
import type { WorldQuery } from '../../src/sandbox/world/World.ts';

const now = 1_800_000_000_000;
const world = new World({ seed: 'trawler', now: () => now });
const words = ['coffee', 'tea shops', 'ACME', 'a "quoted" café', 'مقهى', '=1+1', 'x', 'quantum computing', 'New York', 'Zürich'];
const stay = { check_in_date: '2026-05-01', check_out_date: '2026-05-04' };

/** Queries of each operation that between them reach what its responses can hold. */
const queries: { readonly [N in OperationName]: readonly WorldQuery[] } = {
  webSearch: words.flatMap((query) => [{ query }, { query, page: 1 }, { query, page: 99 }]),
  lightSearch: words.flatMap((query) => [{ query }, { query, page: 4 }]),
  mobileSearch: words.flatMap((query) => [{ query }, { query, page: 2 }]),
  autocomplete: words.map((query) => ({ query })),
  aiMode: words.map((query) => ({ query })),
  aiOverview: words.map((query) => ({ url: `https://www.engine.example/async/overview?ei=${world.seal('overview', query, now)}` })),
  imageSearch: words.flatMap((query) => [{ query }, { query, page: 1 }]),
  videoSearch: words.flatMap((query) => [{ query }, { query, page: 1 }]),
  newsSearch: words.flatMap((query) => [{ query }, { query, topic_token: world.seal('topic_token', 'World') }]),
  jobSearch: words.flatMap((query) => [{ query }, { query, ltype: '1' }]),
  financeSearch: words.map((query) => ({ query })),
  hotelSearch: words.flatMap((query) => [
    { query, ...stay },
    { query, ...stay, sort_by: '3', rating: '9' },
    { query, ...stay, property_token: world.seal('hotel', query) },
  ]),
  immersiveProduct: words.flatMap((name) => [
    { page_token: world.seal('product', name) },
    { page_token: world.seal('product', name), stores: true, sori: 3 },
  ]),
  mapsSearch: words.flatMap((query) => [{ query }, { query, ll: '@40.74,-73.98,14z', page: 20 }, { query, place_id: 'any' }]),
  mapsReviews: words.flatMap((data_id) => [{ data_id }, { data_id, sort_by: 'newestFirst', results: 20 }]),
  mapsPhotos: words.map((data_id) => ({ data_id })),
  mapsPosts: words.map((data_id) => ({ data_id })),
  scholarSearch: words.flatMap((query) => [{ query }, { query, cites: '123' }, { query, cluster: '456', page: 1 }]),
  scholarAuthor: words.flatMap((author_id) => [
    { author_id },
    { author_id, view_op: 'list_colleagues' },
    { author_id, view_op: 'view_citation', citation_id: `${author_id}:abc` },
  ]),
  scholarProfiles: words.map((mauthors) => ({ mauthors })),
  patentDetails: [...words, 'US11734097B1', 'EP1234567A1', 'patent/JP2020123456A/en'].map((patent_id) => ({ patent_id })),
};

describe('responses', () => {
  it.each(Object.keys(operations) as OperationName[])('%s is shaped as documented', (name) => {
    const operation: Operation = operations[name];
    for (const query of queries[name]) {
      const data = JSON.parse(JSON.stringify(responses[name](query, world))) as object;
      expect({ query, ...checkResponse(operation, data, query) }).toEqual({ query, issues: [], badRows: [] });
    }
  });

  it.each(Object.keys(operations) as OperationName[])('%s validates against its JSON Schema', (name) => {
    const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(responseJsonSchema(operations[name]));
    for (const query of queries[name]) {
      const data = JSON.parse(JSON.stringify(responses[name](query, world))) as object;
      validate(data);
      expect(validate.errors ?? []).toEqual([]);
    }
    expect(validate([])).toBe(false);
  });

  it('are the same for the same seed and others for another', () => {
    const [same, other] = [new World({ seed: 'trawler', now: () => now }), new World({ seed: 'other', now: () => now })];
    const query = { data_id: 'abc' };
    expect(responses.mapsReviews(query, same)).toEqual(responses.mapsReviews(query, world));
    expect(responses.mapsReviews(query, other)).not.toEqual(responses.mapsReviews(query, world));
  });

  it('hold odd texts, empty texts, nulls and absent fields', () => {
    const all = Object.entries(queries).flatMap(([name, list]) => list.map((query) => responses[name as OperationName](query, world)));
    const text = JSON.stringify(all);
    for (const odd of ['☕', '"=', String.raw`\n`, String.raw`\"`, 'قهوة', '\u2028', '":""', '":null', '":[]', '":{}'])
      expect(text).toContain(odd);
  });
});
