import { describe, expect, it } from 'vitest';
import { responseJsonSchema } from '../../src/contract/index.ts';
import { madeOperation } from '../../src/contract/madeOperation.ts';
import { operations } from '../../src/search/operations.ts';

describe('responseJsonSchema', () => {
  it('says every kind of shape', () => {
    const operation = madeOperation({
      ...operations.mapsPosts.spec,
      rows: null,
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
});
