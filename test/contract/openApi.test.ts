import { describe, expect, it } from 'vitest';
import { madeOperation } from '../../src/contract/Operation.ts';
import { responseJsonSchema, defineService, openApi, type JsonSchema } from '../../src/contract/index.ts';
import { operations, searchService } from '../../src/search/index.ts';

interface Get {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: JsonSchema;
  }[];
}
const document = openApi(searchService, { version: '1.2.3', serverUrl: 'https://service.example' });
const paths = document['paths'] as { readonly [path: string]: { readonly get: Get } };
const param = (path: string, name: string) => paths[path]!.get.parameters.find((parameter) => parameter.name === name)!;

describe('openApi', () => {
  it('holds one GET for each operation, under its name', () => {
    expect(Object.values(paths).map(({ get }) => get.operationId)).toEqual(Object.keys(operations));
    expect(Object.keys(paths)[0]).toBe('/api/v1/engine/search');
    expect(Object.keys(openApi(searchService, { pathPrefix: '/api/v1/brand' })['paths'] as object)[20]).toBe(
      '/api/v1/brand/patents/details',
    );
  });

  it('says version, address and key header', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: 'https://service.example' }],
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } },
    });
  });

  it('holds every parameter with its rule', () => {
    for (const { get } of Object.values(paths)) {
      const { params } = operations[get.operationId as keyof typeof operations];
      expect(get.parameters.map(({ name }) => name)).toEqual(Object.keys(params));
      for (const parameter of get.parameters) expect(parameter).toMatchObject({ in: 'query', description: expect.stringMatching(/./) });
    }
    expect(param('/api/v1/engine/maps/reviews', 'data_id')).toMatchObject({ required: true, schema: { type: 'string', minLength: 1 } });
    expect(param('/api/v1/engine/maps/reviews', 'results').schema).toEqual({ type: 'integer', default: 10, minimum: 1, maximum: 20 });
    expect(param('/api/v1/engine/maps/search', 'page').schema).toEqual({ type: 'integer', default: 0, minimum: 0, multipleOf: 20 });
    expect(param('/api/v1/engine/search', 'safe').schema).toEqual({ type: 'string', default: 'off', enum: ['active', 'off'] });
    expect(param('/api/v1/engine/hotels/search', 'check_in_date').schema).toEqual({ type: 'string', format: 'date' });
    expect(param('/api/v1/engine/images/search', 'imgsz').schema).toMatchObject({ examples: ['l', 'm', 'i', '4mp', '10mp'] });
    const stars = new RegExp(param('/api/v1/engine/hotels/search', 'hotel_class').schema['pattern'] as string);
    expect(['4', '4,5', '6', '4,', '45'].map((text) => stars.test(text))).toEqual([true, true, false, false, false]);
  });

  it('says the rules between parameters', () => {
    expect(paths['/api/v1/engine/hotels/search']!.get.description).toContain('children_ages holds as many values as children says');
  });

  it('is plain data whose references all lead somewhere', () => {
    const text = JSON.stringify(document);
    expect(JSON.parse(text)).toEqual(document);
    const { schemas } = document['components'] as { readonly schemas: object };
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
    expect(names).toEqual(Object.keys(schemas));
  });
});

describe('responseJsonSchema', () => {
  it('says every kind of shape', () => {
    const operation = madeOperation({
      ...operations.mapsPosts.spec,
      list: null,
      response: {
        a: 'string: a remark',
        'b?': 'integer|null',
        c: ['number'],
        d: { $oneOf: [{ type: '=x' }, { type: '~y' }], $by: 'type' },
        e: { $nullable: 'boolean' },
        f: { $map: 'unknown', $known: { title: 'string' }, $suffix: '_links', $twin: ['string'] },
        g: 'object',
        h: 'array',
        i: 'number|string',
      },
    });
    expect(responseJsonSchema(operation)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'a remark' },
        b: { type: ['integer', 'null'] },
        c: { type: 'array', items: { type: 'number' } },
        d: {
          anyOf: [
            { type: 'object', properties: { type: { type: 'string', enum: ['x'] } }, required: ['type'], additionalProperties: true },
            { type: 'object', properties: { type: { type: 'string', examples: ['y'] } }, required: ['type'], additionalProperties: true },
          ],
        },
        e: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
        f: {
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
          patternProperties: { _links$: { type: 'array', items: { type: 'string' } } },
          additionalProperties: {},
        },
        g: { type: 'object' },
        h: { type: 'array' },
        i: { type: ['number', 'string'] },
      },
      required: ['a', 'c', 'd', 'e', 'f', 'g', 'h', 'i'],
      additionalProperties: true,
    });
  });

  it('allows any of the responses that a parameter picks among', () => {
    expect(responseJsonSchema(operations.scholarAuthor)['anyOf']).toHaveLength(3);
  });

  it.each([
    [{ header: 'x-token' }, { type: 'apiKey', in: 'header', name: 'x-token' }],
    [{ param: 'api_key' }, { type: 'apiKey', in: 'query', name: 'api_key' }],
    [{ basic: true as const }, { type: 'http', scheme: 'basic' }],
  ])('says how the key %j goes along', (key, scheme) => {
    const document = openApi(defineService({ ...searchService, key }));
    expect(document['components']).toMatchObject({ securitySchemes: { apiKey: scheme } });
  });
});
