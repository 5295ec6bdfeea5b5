import { readFile, readdir, writeFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { flowJsonSchema } from '../../src/flow/check/flowJsonSchema.ts';
import { smallFlow } from './smallFlow.ts';

const file = new URL('../../schema/flow.schema.json', import.meta.url);
const examples = new URL('../../examples/flows/', import.meta.url);
const text = `${JSON.stringify(flowJsonSchema(), undefined, 2)}\n`;

describe('schema/flow.schema.json', () => {
  it('matches the current operations (UPDATE_SCHEMA=1 rewrites it)', async () => {
    if (process.env['UPDATE_SCHEMA'] === '1') await writeFile(file, text);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(text));
  });

  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(text) as object);
  const faults = (flow: unknown): string[] => {
    validate(flow);
    return (validate.errors ?? [])
      .filter(({ keyword }) => keyword !== 'if')
      .map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it('accepts valid flows', async () => {
    expect(faults(smallFlow)).toEqual([]);
    for (const name of (await readdir(examples, { recursive: true })).filter((one) => one.endsWith('.json'))) {
      expect({ name, faults: faults(JSON.parse(await readFile(new URL(name, examples), 'utf8'))) }).toEqual({ name, faults: [] });
    }
  });

  it.each([
    ['a misspelt key', { call: 'mapsSearch', with: { query: 'a' }, page: 2 }, 'must NOT have additional properties'],
    ['an unknown operation', { call: 'mapSearch', with: { query: 'a' } }, 'must be equal to one of the allowed values'],
    ['an unknown parameter', { call: 'mapsSearch', with: { query: 'a', zoom: 2 } }, 'must NOT have additional properties'],
    ['a missing parameter', { call: 'mapsSearch', with: {} }, "must have required property 'query'"],
    [
      'a value that is none',
      { call: 'mapsReviews', with: { data_id: 'a', sort_by: 'newest' } },
      'must be equal to one of the allowed values',
    ],
  ])('refuses %s', (_, stage, message) => {
    expect(faults({ name: 'wrong', stages: { stage } }).join('\n')).toContain(message);
  });

  it.each([
    ['a misspelt parameter', { call: 'mapsSearch', with: { query: 'a', zom: 2 } }],
    ['a misspelt parameter that is required', { call: 'mapsSearch', with: { qurey: 'a' } }],
    ['a misspelt call', { call: 'mapSearch', with: { query: 'a' } }],
    ['a misspelt key', { call: 'mapsSearch', with: { query: 'a' }, page: 2 }],
    ['a value of the wrong type', { call: 'mapsSearch', with: { query: {} } }],
    ['a value in a list of the wrong type', { call: 'mapsSearch', with: { query: ['a', 5] } }],
    ['a number that is none', { call: 'mapsReviews', with: { data_id: 'a', results: 'ten' } }],
    ['a value that is none', { call: 'mapsReviews', with: { data_id: 'a', sort_by: 'newest' } }],
    ['a value in a list that is none', { call: 'mapsReviews', with: { data_id: 'a', sort_by: ['newestFirst', 'newest'] } }],
    ['a comparison that is none', { call: 'mapsSearch', with: { query: 'a' }, where: { rating: { '=>': 4 } } }],
    ['a comparison with a value that is none', { call: 'mapsSearch', with: { query: 'a' }, where: { rating: { '>=': true } } }],
    ['a condition in a list that is none', { call: 'mapsSearch', with: { query: 'a' }, where: { rating: [{ '>=': 4 }] } }],
    ['a number of pages that is none', { call: 'mapsSearch', with: { query: 'a' }, pages: 'al' }],
    ['a file that is none', { call: 'mapsSearch', with: { query: 'a' }, to: [5] }],
    ['an empty list', { call: 'mapsReviews', with: { data_id: 'a', sort_by: [] } }],
  ])('has at most three errors for %s', (_, stage) => {
    expect(validate({ name: 'wrong', stages: { stage } })).toBe(false);
    expect(validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`).slice(3)).toEqual([]);
  });

  it('takes every kind of condition, of pages and of area', () => {
    const where = { rating: { '>=': 4, exists: true }, title: 'x', type: ['a', null] };
    const area = { type: 'Feature', geometry: null };
    const stages: { [name: string]: object } = {
      a: { call: 'mapsSearch', with: { query: 'a' }, where, pages: 'all' },
      b: { call: 'mapsSearch', with: { query: 'a' }, pages: 3 },
    };
    for (const [nth, one] of [[1, 2, 3, 4], 'berlin.geojson', area].entries()) {
      stages[`cover${nth}`] = { call: 'mapsSearch', with: { query: 'a' }, cover: { within: one } };
    }
    expect(faults({ name: 'right', stages: stages })).toEqual([]);
  });

  it.each(['$.id', '${env.CITY}', ['$.id', 'newestFirst']])('takes %j for a value that is one of a few', (value) => {
    expect(faults({ name: 'right', stages: { stage: { call: 'mapsReviews', with: { data_id: 'a', sort_by: value } } } })).toEqual([]);
  });
});
